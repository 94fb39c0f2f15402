import { lstatSync } from 'node:fs'
import { openDatabase } from '../database/database.ts'
import type { Database } from '../database/database.ts'
import { releaseReserve } from '../database/reserve.ts'
import { inDataDirectory } from '../database/storage-errors.ts'
import { readSettings } from '../settings/parse.ts'
import type { CommandContext, CommandOutcome, ParsedArguments } from './command.ts'
import { noDatabaseIn } from './no-database.ts'
import { watchUpgrade } from './upgrade-watch.ts'

export const RELEASED = 'The disk is full: the reserve was released, and is made again by serve when there is room.'

export type DataContext = Pick<CommandContext, 'env' | 'readFile' | 'clock' | 'stderr' | 'terminal' | 'audit'>

/** Where the unit that `bellhop systemd` prints keeps its data. */
const UNIT_DIRECTORY = '/var/lib/bellhop'

/** What --data says, or the variable, or the default, or that of the unit where there is no default one (`unit`). */
export function dataDirectory(
  given: ParsedArguments['flags'],
  { env, readFile }: Pick<DataContext, 'env' | 'readFile'>,
  unit = UNIT_DIRECTORY,
): { readonly kind: 'directory'; readonly data: string; readonly isDefault: boolean } | CommandOutcome {
  const settings = readSettings(['data'], { flags: given, env, readFile })
  if (settings.kind === 'problems') return settings
  const { data } = settings.config
  const isDefault = !given.has('data') && (env['BELLHOP_DATA'] ?? '') === ''
  return { kind: 'directory', data: isDefault && !isThere(data) && isThere(unit) ? unit : data, isDefault }
}

/** A command line of this program as it would be typed, with `--data` where it was given. */
export function commandLine(words: readonly string[], flags: ParsedArguments['flags']): string {
  return ['bellhop', ...words].map(quoted).join(' ') + dataFlagOf(flags.get('data'))
}

/** What another command line needs besides, so that it works on the same data. */
export function dataFlagOf(data: string | undefined): string {
  return data === undefined ? '' : ` --data ${quoted(data)}`
}

/** For a shell. */
export function quoted(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** A link that leads nowhere this user may go is there all the same, as systemd's to a private directory. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

/** Opens the database that a command works on; the caller closes it. Without `create` there must be one. */
export function openData(
  flags: ParsedArguments['flags'],
  context: DataContext,
  { create = false } = {},
): { readonly kind: 'open'; readonly database: Database; readonly data: string } | CommandOutcome {
  const found = dataDirectory(flags, context)
  if (found.kind !== 'directory') return found
  const { data } = found
  const missing = create ? null : noDatabaseIn(found)
  if (missing !== null) return missing
  const released = create ? 0 : inDataDirectory(data, () => releaseReserve(data))
  if (released > 0) context.stderr(`bellhop: ${RELEASED}\n`)
  using watch = watchUpgrade(context)
  const database = inDataDirectory(data, () => openDatabase(data, { report: watch.see }))
  return { kind: 'open', database: context.audit?.watch(database) ?? database, data }
}
