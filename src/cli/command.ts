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

/** A command for help, for the parser, and to run. */
export type CommandSpec = CommandFacts &
  (
    | { readonly on?: undefined; readonly load: () => Promise<CommandModule<CommandContext>> }
    /** `new data`: the directory need not exist. */
    | { readonly on: 'data' | 'new data'; readonly load: () => Promise<CommandModule<World>> }
    /** The application named by its first word. */
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
  /** It also takes the flags of the settings (`settings/table.ts`). */
  readonly settings?: true
  /** In help's order; `commands.ts` adds those that name the data. */
  readonly flags: readonly FlagSpec[]
  /** At most one flag of each list may be given. */
  readonly exclusive?: readonly (readonly string[])[]
  readonly examples: readonly [string, ...string[]]
  /** What its exit code adds to the usual ones. */
  readonly exitCodes?: string
  /** Other programs' names for its flags (`flags.ts`). */
  readonly elsewhere?: FlagNames['elsewhere']
}

export interface CommandChange {
  readonly action: string
  /** Without any of these flags it only reads. */
  readonly onlyWith?: readonly string[]
  /** It gets an entry although no row changes: it writes files, or hands something out. */
  readonly evenWithoutRows?: true
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
  /** A setting with this flag, and its type: an error names the variable too. */
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

export const dataFlag = valueFlag(
  'data',
  'PATH',
  'the data directory (BELLHOP_DATA; default ./bellhop-data if it exists, else /var/lib/bellhop)',
  { setting: 'data' },
)

/** The data to work on: a directory here, or a server elsewhere. */
export const dataFlags: readonly FlagSpec[] = [
  dataFlag,
  valueFlag('server', 'URL', 'run on the server with this admin address (BELLHOP_SERVER)', {
    type: serverAddress,
  }),
  valueFlag('token-file', 'FILE', 'file that contains the token (BELLHOP_TOKEN_FILE)', { type: path }),
]

export const jsonFlag = switchFlag('json', 'print one line of JSON')

export function jsonLinesFlag(of: string): FlagSpec {
  return switchFlag('json', `print a line of JSON for each ${of}`)
}

export interface ParsedArguments {
  readonly words: readonly string[]
  /** By name; a switch has the value `''`. */
  readonly flags: ReadonlyMap<string, string>
  /** What is wrong so far, a sentence each; a command that takes settings adds their problems. */
  readonly problems: readonly string[]
}

export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly readFile: ReadFile
  readonly clock: Clock
  /** `false`: the reader has gone, so more would be wasted. */
  readonly stdout: (text: string) => unknown
  /** Waits until the reader has taken the output; left out: it already has. */
  readonly written?: () => Promise<unknown>
  readonly stderr: (text: string) => void
  /** Standard input, for a command that answers what comes there; left out: it is empty. */
  readonly stdin?: () => AsyncIterable<Uint8Array>
  /** For a command that runs others; left out in a server. */
  readonly commands?: CommandTable
  /** Of standard output; `null`: it is a pipe or a file. */
  readonly terminal: Terminal | null
  readonly signals: Signals
  /**
   * Everything is loaded, and the work begins. The compiled program's startup mode (`scripts/build/executable.ts`) ends
   * with this.
   */
  readonly started: () => void
  /** Runs the service until it is stopped; returns its exit code. Logs its start itself. */
  readonly serve: (config: Config) => Promise<number>
  /** Makes a server run commands of others. */
  readonly serveCommand: () => Promise<MakeServeCommand>
  /** The audit log entry; left out if there is none. */
  readonly audit?: CommandAudit
  /** The caller, if a server runs it. */
  readonly by?: Actor
  /** Latest expiry of tokens it creates, ms since the Unix epoch; left out: no limit. */
  readonly tokensUntil?: number
}

export interface CommandTable {
  readonly specs: readonly CommandFacts[]
  /** Returns the exit code. */
  readonly run: (argv: readonly string[], context: CommandContext) => Promise<number>
}

/** What a command works on, in the process that has the database: the server of that directory, else its own. */
export interface World extends CommandContext {
  readonly database: Database
  readonly data: string
  /** `null`: no server runs, or the command runs beside it. */
  readonly served:
    | (Pick<CommandService, 'deliveries' | 'isStopping' | 'pauseOf' | 'received' | 'testAlert'> & {
        readonly moving: Moving
      })
    | null
  /** Call it in the transaction that seals, since the key may be rotated between two. */
  readonly sealingKey: () => LoadedKey | Problem | Problems
  /** Accepts pushes as the API does. */
  readonly pushing: () => Pushing
  /** After a commit: makes a server of this directory read the change. */
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
  /** Changes through what this returns get the entry in the same transaction. `end` still needs it. */
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
 * `done`: exit code 0. `failed`: 1, and `text` is still printed. `problem`: 1. `problems`: 2, a usage error. Problems
 * are sentences, printed after `bellhop: ` with control characters escaped. `served`: the service has ended, and has
 * printed everything itself.
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
