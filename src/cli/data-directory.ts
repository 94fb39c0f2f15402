import { existsSync, lstatSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import { readSettings } from '../settings/parse.ts'
import type { Problems } from '../settings/parse.ts'
import { openFiles } from '../system/open-files.ts'
import { userName } from '../system/operator.ts'
import { codeOf } from '../text/error-code.ts'
import type { CommandContext, ParsedArguments } from './command.ts'

interface DataDirectory {
  readonly kind: 'directory'
  readonly data: string
  readonly isDefault: boolean
}

const UNIT_DIRECTORY = '/var/lib/bellhop'

/** `unit`, the directory of `bellhop systemd`, if the default does not exist. */
export function dataDirectory(
  given: ParsedArguments['flags'],
  { env, readFile }: Pick<CommandContext, 'env' | 'readFile'>,
  unit = UNIT_DIRECTORY,
): DataDirectory | Problems {
  const settings = readSettings(['data'], { flags: given, env, readFile })
  if (settings.kind === 'problems') return settings
  const { data } = settings.config
  const isDefault = !given.has('data') && (env['BELLHOP_DATA'] ?? '') === ''
  return { kind: 'directory', data: isDefault && !isThere(data) && isThere(unit) ? unit : data, isDefault }
}

export function commandLine(words: readonly string[], flags: ParsedArguments['flags']): string {
  return ['bellhop', ...words].map(quoted).join(' ') + dataFlagOf(flags.get('data'))
}

/** For another command line on the same data. */
export function dataFlagOf(data: string | undefined): string {
  return data === undefined ? '' : ` --data ${quoted(data)}`
}

export function quoted(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** A link that this user can't follow counts too, as systemd's to a private directory. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

/** `null`: there is one. */
export function noDatabaseIn({ data, isDefault }: DataDirectory): Problem | null {
  const closed = closedTo(data)
  if (closed !== null || existsSync(join(data, 'bellhop.db'))) return closed
  const elsewhere = isDefault ? servedDirectories() : []
  const hint =
    elsewhere.length === 0
      ? ''
      : ` A Bellhop is running here with ${elsewhere.map((each) => `--data ${each}`).join(', and one with ')}.`
  return problem(
    `There is no Bellhop database in ${data}: bellhop app create NAME creates one, --data selects another.${hint}`,
  )
}

/** `null`: this user can look into it, or there is none. */
export function closedTo(data: string): Problem | null {
  try {
    statSync(join(data, 'bellhop.db'))
  } catch (error) {
    if (codeOf(error) === 'EACCES') return problem(strangerText(data))
  }
  return null
}

function strangerText(data: string): string {
  const self = process.geteuid?.() ?? 0
  let whose: string
  try {
    const { uid } = statSync(data)
    if (uid === self)
      return `The data directory ${data} is yours, but its mode forbids to read it: chmod -R u+rwX ${data}`
    whose = `it belongs to user ${userName(uid)}`
  } catch {
    // A parent directory is closed to this user.
    whose = 'it belongs to another user'
  }
  return `The data directory ${data} cannot be read by user ${userName(self)}: ${whose}. Use sudo, or run this as its owner.`
}

/** As far as this user may see them. */
function servedDirectories(): readonly string[] {
  const found = new Set<string>()
  for (const { target } of openFiles()) {
    if (target.endsWith('/serving.lock') && existsSync(join(dirname(target), 'bellhop.db'))) found.add(dirname(target))
  }
  return [...found].slice(0, 3)
}
