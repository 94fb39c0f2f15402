import { createRestoreStore } from '../../device/restore-store.ts'
import { problem } from '../../failure.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { counted, grouped, isoOrNull, isoTime } from '../../text/format.ts'
import { done, problems } from '../command.ts'
import type { CheckArguments, CommandOutcome, ParsedArguments, RunOnApplication } from '../command.ts'
import { timeGiven, notAMoment } from '../moment-flag.ts'
import { platformsIn } from '../push/platform-flag.ts'
import { styleOf } from '../terminal/style.ts'
import { NOBODY, restoreDevices } from './devices-restore-run.ts'
import type { RestoreCounts, RestoreOptions } from './devices-restore-run.ts'
import { absentText, restoredText, spanText } from './devices-restore-text.ts'

export const check: CheckArguments = ({ flags }, { clock }) => readRestore(flags, clock.now())

/** Restores devices that gateways reported as unregistered by mistake, with or without a running server. */
export const run: RunOnApplication = async ({ flags }, world) => {
  const read = readRestore(flags, world.clock.now())
  if (read.kind !== 'options') return read
  const { options } = read
  const { id, number } = world.application

  const away = createRestoreStore(world).absent(number, options)
  const unknown = options.reasons?.find((reason) => !away.some((one) => one.reason === reason))
  if (unknown !== undefined && away.length > 0) {
    const known = away.map((one) => `${one.reason} ${grouped(one.gone + one.quarantined)}`).join(', ')
    return problem(
      `--reason: no device that left ${spanText(options)} left for "${unknown}". The reasons there are: ${known}.`,
    )
  }
  const absent = away.filter(({ reason }) => options.reasons?.includes(reason) ?? true)
  const total = absent.reduce((sum, one) => sum + one.gone + one.quarantined, 0)
  const json = ({ gone, quarantined, aliasTaken, bare }: RestoreCounts) =>
    jsonLine({
      application: id,
      since: isoTime(options.since),
      until: isoOrNull(options.until),
      dry_run: flags.has('dry-run'),
      found: absent.map((one) => ({ reason: one.reason, gone: one.gone, quarantined: one.quarantined })),
      restored: { gone, quarantined, alias_taken: aliasTaken, nothing_kept: bare },
    })
  if (total === 0 || flags.has('dry-run')) {
    if (flags.has('json')) return done(json(NOBODY))
    if (total === 0) return done(`Nothing to restore: no device left ${spanText(options)} and is still away.\n`)
    return done(`${absentText(absent, styleOf(world))}Nothing was changed: this was a dry run.\n`)
  }
  if (!flags.has('yes')) {
    return problem(
      `${counted(total, 'device')} that left ${spanText(options)} would rejoin their audiences: add --yes to restore them, or --dry-run to see why they left.`,
    )
  }

  const { counts, stopped } = await restoreDevices(options, total, world)
  if (stopped) {
    const since = isoTime(options.since)
    return problem(
      `Stopped after ${counted(counts.gone + counts.quarantined, 'device')}: the same command with --since ${since} goes on.`,
    )
  }
  return done(flags.has('json') ? json(counts) : restoredText(counts))
}

function readRestore(
  flags: ParsedArguments['flags'],
  now: number,
): { readonly kind: 'options'; readonly options: RestoreOptions } | Extract<CommandOutcome, { kind: 'problems' }> {
  const wrong: string[] = []
  const timeOf = (name: string) => {
    const text = flags.get(name)
    if (text === undefined) return null
    const at = timeGiven(text, now)
    if (at === null) wrong.push(notAMoment(name, text))
    else if (at > now) wrong.push(`--${name}: ${text} is in the future.`)
    return at
  }
  const [since, until] = [timeOf('since'), timeOf('until')]
  if (!flags.has('since'))
    wrong.push('devices restore needs --since TIME: when the gateway began to refuse what it should not.')
  if (since !== null && until !== null && until < since) wrong.push('--until is before --since.')
  if (wrong.length > 0 || since === null) return problems(...wrong)
  const reasons = flags.get('reason')?.split(',') ?? null
  return { kind: 'options', options: { platforms: platformsIn(flags), since, until, reasons } }
}
