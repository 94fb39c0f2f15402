import { qrText } from '../../account/qr-code.ts'
import { createSecondFactorStore } from '../../account/second-factor-store.ts'
import type { TotpEnrolment } from '../../account/second-factor-store.ts'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { done, FINE, problems } from '../command.ts'
import type { CheckArguments, ParsedArguments, RunOnData } from '../command.ts'
import { commandLine } from '../data-directory.ts'
import { administratorsIn, noAdministrator } from './administrators-in.ts'

export const check: CheckArguments = ({ flags }) => {
  const change = ['off', 'recovery-codes'].find((name) => flags.has(name))
  if (change === undefined || flags.has('code')) return FINE
  return problems(`--${change} needs --code, of the authenticator app or a recovery code.`)
}

type Outcome =
  | { readonly kind: 'begun'; readonly enrolment: TotpEnrolment }
  | { readonly kind: 'codes'; readonly codes: readonly string[]; readonly isNew: boolean }
  | { readonly kind: 'off' }

export const run: RunOnData = async ({ words: [name = ''], flags }, world) => {
  const { administrators } = administratorsIn(world)
  const changed = world.database.transact(() => {
    const administrator = administrators.find(name)
    if (administrator === null) return noAdministrator(name, world)
    const loaded = world.sealingKey()
    if (loaded.kind !== 'loaded') return loaded
    const factors = createSecondFactorStore({ ...world, key: loaded.key })
    const outcome = change(factors, administrator, flags)
    if (outcome.kind === 'problem') return outcome
    world.audit?.note({ did: outcome.kind === 'codes' && outcome.isNew ? 'on' : outcome.kind })
    return { ...outcome, name: administrator.name, notes: loaded.notes }
  })
  if (changed.kind === 'problem' || changed.kind === 'problems') return changed
  for (const note of changed.notes) world.stderr(`bellhop: ${note}\n`)
  if (flags.has('json')) return done(json(changed))
  return done(text(changed, changed.name, flags))
}

function change(
  factors: ReturnType<typeof createSecondFactorStore>,
  administrator: { readonly number: number; readonly name: string },
  flags: ParsedArguments['flags'],
): Outcome | Problem {
  const code = flags.get('code')
  const isOn = factors.isOn(administrator)
  const isChange = flags.has('off') || flags.has('recovery-codes')
  if (isChange !== isOn) {
    return problem(
      isOn
        ? `"${administrator.name}" already has a second factor: --off removes it, --recovery-codes creates new recovery codes.`
        : `"${administrator.name}" has no second factor.`,
    )
  }
  if (code === undefined) {
    const enrolment = factors.begin(administrator)
    if (enrolment === null) throw new Error('a second factor that is off is on')
    return { kind: 'begun', enrolment }
  }
  if (!isOn) {
    const codes = factors.confirm(administrator, code)
    if (codes === 'absent') {
      return problem(`No second factor is being set up: bellhop admin totp ${administrator.name} starts it.`)
    }
    return codes === 'wrong' ? WRONG : { kind: 'codes', codes, isNew: true }
  }
  if (factors.prove(administrator, code) === null) return WRONG
  if (!flags.has('off')) return { kind: 'codes', codes: factors.renewCodes(administrator), isNew: false }
  factors.remove(administrator)
  return { kind: 'off' }
}

const WRONG = problem('The code is wrong or was already used.')

function json(outcome: Outcome): string {
  if (outcome.kind === 'begun') return jsonLine(outcome.enrolment)
  return jsonLine(outcome.kind === 'codes' ? { recoveryCodes: outcome.codes } : { off: true })
}

function text(outcome: Outcome, name: string, flags: ParsedArguments['flags']): string {
  const who = `"${escapeControls(name)}"`
  if (outcome.kind === 'off') return `${who} now signs in with the password alone.\n`
  if (outcome.kind === 'codes') {
    return [
      outcome.isNew
        ? `From now on ${who} needs a code from the app to sign in.`
        : `${who} has new recovery codes; the old ones no longer work.`,
      "If you lose the phone, each of these works once instead of a code. You won't see them again:",
      '',
      ...outcome.codes.map((code) => `  ${code}`),
      '',
    ].join('\n')
  }
  const { secret, uri } = outcome.enrolment
  return [
    `For the authenticator app of ${who}; you won't see this again:`,
    '',
    qrText(uri),
    '',
    `  ${secret}`,
    `  ${uri}`,
    '',
    'Turn it on with a code from the app:',
    '',
    `  ${commandLine(['admin', 'totp', name, '--code', 'CODE'], flags)}`,
    '',
  ].join('\n')
}
