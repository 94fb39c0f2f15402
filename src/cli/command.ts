import type { Actor } from '../admin/administrator.ts'
import type { Application } from '../application/application.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Problem } from '../failure.ts'
import type { Pushing } from '../push/pushing.ts'
import type { CommandService, MakeServeCommand, Moving } from '../server/command/command-service.ts'
import type { FlagNames } from '../settings/flags.ts'
import type { Config, Problems } from '../settings/parse.ts'
import { serverAddress } from '../settings/network-types.ts'
import { path } from '../settings/setting-type.ts'
import type { SettingType } from '../settings/setting-type.ts'
import type { SettingName } from '../settings/table.ts'
import type { ReadFile } from '../system/read-file.ts'

export type CommandSpec = CommandFacts &
  (
    | { readonly on?: undefined; readonly load: () => Promise<CommandModule<CommandContext>> }
    /** `new data`: the directory need not exist. */
    | { readonly on: 'data' | 'new data'; readonly load: () => Promise<CommandModule<World>> }
    | { readonly on: 'application'; readonly load: () => Promise<CommandModule<ApplicationWorld>> }
  )

export interface CommandFacts {
  readonly name: string
  /** `NAME`, or `[NAME]`, which is optional and last. */
  readonly words: readonly string[]
  /** Values of its first word, if they are too many for the usage line. */
  readonly choices?: () => Promise<readonly string[]>
  readonly summary: string
  /** `null`: it only reads, and leaves no audit log entry. */
  readonly changes: CommandChange | null
  readonly settings?: true
  /** In help's order; `commands.ts` adds those that name the data. */
  readonly flags: readonly FlagSpec[]
  /** At most one flag of each list may be given. */
  readonly exclusive?: readonly (readonly string[])[]
  readonly examples: readonly [string, ...string[]]
  readonly exitCodes?: string
  /** Other programs' names for its flags. */
  readonly elsewhere?: FlagNames['elsewhere']
}

export interface CommandChange {
  readonly action: string
  /** Without any of these flags it only reads. */
  readonly onlyWith?: readonly string[]
  /** No row changes, but it writes files or reveals something. */
  readonly evenWithoutRows?: true
}

export function onlyReads({ changes }: Pick<CommandFacts, 'changes'>, { flags }: Pick<ParsedArguments, 'flags'>) {
  if (changes === null || flags.has('dry-run')) return true
  return changes.onlyWith?.every((name) => !flags.has(name)) ?? false
}

export interface CommandModule<Context> {
  readonly run: Run<Context>
  /** Finds mistakes that flag types can't, so that all are reported together. */
  readonly check?: CheckArguments
}

export interface FlagSpec {
  readonly name: string
  /** Stands for its value; `null`: it takes none. */
  readonly placeholder: string | null
  readonly doc: string
  /** May be repeated: the values are joined by commas. */
  readonly list?: true
  /** Left out: the command checks the value. */
  readonly type?: Pick<SettingType<unknown>, 'expected' | 'read'>
  /** Has this flag, its type and a variable. */
  readonly setting?: SettingName
}

export function switchFlag(name: string, doc: string): FlagSpec {
  return { name, placeholder: null, doc }
}

export function valueFlag(
  name: string,
  placeholder: string,
  doc: string,
  more: Pick<FlagSpec, 'list' | 'setting' | 'type'> = {},
): FlagSpec {
  return { name, placeholder, doc, ...more }
}

export function typedFlag(name: string, type: SettingType<unknown>, doc: string): FlagSpec {
  return { name, placeholder: type.placeholder, doc, type }
}

export function fileFlag(name: string, doc: string, placeholder = 'FILE'): FlagSpec {
  return { name, placeholder, doc, type: path }
}

export const dataFlag = valueFlag(
  'data',
  'PATH',
  'the data directory (BELLHOP_DATA; default ./bellhop-data if it exists, else /var/lib/bellhop)',
  { setting: 'data' },
)

export const dataFlags: readonly FlagSpec[] = [
  dataFlag,
  typedFlag('server', serverAddress, 'run on the server with this admin address (BELLHOP_SERVER)'),
  fileFlag('token-file', 'file that contains the token (BELLHOP_TOKEN_FILE)'),
]

export const forceFlag = switchFlag('force', 'replace FILE if it exists')

export const jsonFlag = switchFlag('json', 'print one line of JSON')

export function jsonLinesFlag(of: string): FlagSpec {
  return switchFlag('json', `print a line of JSON for each ${of}`)
}

export interface ParsedArguments {
  readonly words: readonly string[]
  /** By name; a switch has the value `''`. */
  readonly flags: ReadonlyMap<string, string>
  /** Found so far, in sentences; a command that takes settings adds their problems. */
  readonly problems: readonly string[]
}

export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly readFile: ReadFile
  readonly clock: Clock
  /** `false`: the reader has gone. */
  readonly stdout: (text: string) => unknown
  readonly written?: () => Promise<unknown>
  readonly stderr: (text: string) => void
  /** Left out: the command ends with this process. The sentence holds if the server dies now. */
  readonly kept?: (sentence: string) => void
  /** Left out: empty. */
  readonly stdin?: () => AsyncIterable<Uint8Array>
  readonly commands?: CommandTable
  /** `null`: standard output is a pipe or a file. */
  readonly terminal: Terminal | null
  readonly signals: Signals
  /** Everything is loaded. Ends the compiled program's startup mode (`scripts/build/executable.ts`). */
  readonly started: () => void
  readonly serve: (config: Config) => Promise<number>
  /** Makes a server run commands of others. */
  readonly serveCommand: () => Promise<MakeServeCommand>
  /** Left out: there is no entry. */
  readonly audit?: CommandAudit
  /** Left out: no server runs it. */
  readonly by?: Actor
  /** Latest expiry of created tokens; left out: no limit. */
  readonly tokensUntil?: number
}

export interface CommandTable {
  readonly specs: readonly CommandFacts[]
  readonly run: (argv: readonly string[], context: CommandContext) => Promise<number>
}

/** Of the process that has the database open: the directory's server, else the command's own. */
export interface World extends CommandContext {
  readonly database: Database
  readonly data: string
  /** `null`: no server runs, or the command runs beside it. */
  readonly served:
    | (Pick<CommandService, 'deliveries' | 'isStopping' | 'pauseOf' | 'received' | 'testAlert' | 'webhookPrivate'> & {
        readonly moving: Moving
      })
    | null
  /** Call it in the transaction that seals: the key may be rotated between two. */
  readonly sealingKey: () => LoadedKey | Problem | Problems
  readonly pushing: () => Pushing
  /** After a commit: makes this directory's server read the change. */
  readonly changed: () => Promise<void>
}

export interface ApplicationWorld extends World {
  readonly application: Application
}

export interface LoadedKey {
  readonly kind: 'loaded'
  readonly key: Uint8Array
  readonly notes: readonly string[]
}

export interface CommandAudit {
  /** Changes through the returned database get the entry in the same transaction. `end` still needs it. */
  watch(database: Database): Database
  about(application: string): void
  /** Never a secret, device, user or message text. */
  note(detail: Readonly<Record<string, unknown>>): void
}

export interface Terminal {
  readonly columns: number
}

export type Signal = 'SIGHUP' | 'SIGINT' | 'SIGTERM'

/** `process` is one. */
export interface Signals {
  on(signal: Signal, listener: () => void): unknown
  off(signal: Signal, listener: () => void): unknown
}

/**
 * Exit codes: `done` 0, `failed` and `problem` 1, `problems` (a usage error) 2. Problems are sentences, printed after
 * `bellhop: ` with control characters escaped.
 */
export type CommandOutcome =
  | { readonly kind: 'done'; /** Standard output; what was printed before stands before it. */ readonly text: string }
  | { readonly kind: 'failed'; readonly text: string }
  | Problem
  | Problems
  | { readonly kind: 'served'; readonly exitCode: number }

type Run<Context> = (given: ParsedArguments, context: Context) => Promise<CommandOutcome>

export type RunCommand = Run<CommandContext>
export type RunOnData = Run<World>
export type RunOnApplication = Run<ApplicationWorld>

export type CheckArguments = (
  given: ParsedArguments,
  context: CommandContext,
) => { readonly kind: string; readonly problems?: readonly string[] }

export const FINE = { kind: 'fine' } as const

export function done(text: string): CommandOutcome {
  return { kind: 'done', text }
}

export function failed(text: string): CommandOutcome {
  return { kind: 'failed', text }
}

export function problems(...sentences: readonly string[]): Problems {
  return { kind: 'problems', problems: sentences }
}
