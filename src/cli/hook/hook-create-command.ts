import { randomBytes } from 'node:crypto'
import { problem } from '../../failure.ts'
import { createHookStore } from '../../hook/hook-store.ts'
import { newHookKey } from '../../hook/hook.ts'
import { SIGNATURE_NAMES, SIGNATURES } from '../../hook/sender-proof.ts'
import { hookProblems, setHook } from '../../hook/set-hook.ts'
import type { HookChange, HookProblem } from '../../hook/set-hook.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { NO_KEY } from '../app/app-text.ts'
import { done, FINE, problems } from '../command.ts'
import type {
  CheckArguments,
  CommandContext,
  CommandOutcome,
  LoadedKey,
  ParsedArguments,
  RunOnApplication,
} from '../command.ts'
import { hookJson } from './hook-text.ts'
import { readGivenFile } from '../read-given-file.ts'

export const check: CheckArguments = ({ flags }) =>
  flags.has('template') ? FINE : problems('hook create needs --template FILE: bellhop manual hooks has examples.')

export const run: RunOnApplication = async (given, world) => {
  const { database, clock, application, sealingKey } = world
  const read = readChange(given, world)
  if (!('name' in read)) return read
  const wrong = hookProblems(read)
  if (wrong.length > 0) return problems(...wrong.map(sentence))
  const key = newHookKey(randomBytes)
  const stored = database.transact(() => {
    // Only a hash of the path's key is stored.
    const loaded = read.signature === undefined ? UNSEALED : sealingKey()
    if (loaded.kind !== 'loaded') return loaded
    const hooks = createHookStore({ database, clock, key: loaded.key })
    return { ...setHook(hooks, application, read, key), notes: loaded.notes }
  })
  if (stored.kind === 'problem' || stored.kind === 'problems') return stored
  if (stored.kind === 'taken') {
    return problem(`There is a hook "${read.name}" of another application: names are of the whole server.`)
  }
  if (stored.kind === 'wrong') return problems(...stored.problems.map(sentence))

  const { hook, isNew, notes } = stored
  const path = `/hook/${hook.name}${stored.key === null ? '' : `/${stored.key}`}`
  if (given.flags.has('json')) return done(jsonLine({ ...hookJson(hook, application.id), path }))
  const lines = [
    `Hook ${hook.name} is ${isNew ? 'there' : 'changed'}. Calls go to this path of your server:`,
    '',
    `  ${path}`,
    '',
    ...(stored.key === null ? [] : ["Copy it to the service now; you won't see the key again."]),
    ...(hook.signature === null ? [] : [`They must be signed as those of ${SIGNATURES[hook.signature].of} are.`]),
    ...(stored.key === null && hook.signature === null
      ? ['Its key stays as it was: --new-key makes another one.']
      : []),
    `Try it with: bellhop hook preview ${hook.name} --example FILE`,
    ...notes,
  ]
  return done(`${lines.join('\n')}\n`)
}

const UNSEALED: LoadedKey = { kind: 'loaded', key: NO_KEY, notes: [] }

const FLAGS: Readonly<Record<HookProblem['field'], string>> = {
  name: 'NAME',
  template: '--template',
  signature: '--signature',
  secret: '--secret-file',
  newKey: '--new-key',
}

const sentence = ({ field, problem: text }: HookProblem) => `${FLAGS[field]} ${text}`

function readChange(
  { words: [, name = ''], flags }: ParsedArguments,
  context: Pick<CommandContext, 'readFile'>,
): HookChange | CommandOutcome {
  const template = readGivenFile(flags.get('template') ?? '', context)
  if (template.kind === 'problem') return template
  const path = flags.get('secret-file')
  const secret = path === undefined ? null : readGivenFile(path, context)
  if (secret?.kind === 'problem') return secret
  return {
    name,
    template: template.text,
    signature: SIGNATURE_NAMES.find((one) => one === flags.get('signature')),
    secret: secret?.text.trim(),
    newKey: flags.has('new-key'),
  }
}
