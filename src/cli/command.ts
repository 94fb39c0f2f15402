import type { Actor } from '../admin/administrator.ts'
import type { Application } from '../application/application.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Problem } from '../failure.ts'
import type { Pushing } from '../push/pushing.ts'
import type { CommandService, MakeServeCommand } from '../server/command-service.ts'
import type { FlagNames } from '../settings/flags.ts'
import type { Config, Problems } from '../settings/parse.ts'
import { serverAddress } from '../settings/network-types.ts'
import { path } from '../settings/setting-type.ts'
import type { SettingType } from '../settings/setting-type.ts'
import type { SettingName } from '../settings/table.ts'
import type { ReadFile } from '../system/read-file.ts'

/** One command: as help shows it, as the parser knows it, and what runs it. */
export type CommandSpec = CommandFacts &
  (
    | { readonly on?: undefined; readonly load: () => Promise<CommandModule<CommandContext>> }
    /** The data of a directory; `new data`: also of one that is not there yet. */
    | { readonly on: 'data' | 'new data'; readonly load: () => Promise<CommandModule<World>> }
    /** The application that its first word names. */
    | { readonly on: 'application'; readonly load: () => Promise<CommandModule<ApplicationWorld>> }
  )

export interface CommandFacts {
  readonly name: string
  /** What stands after it: `NAME`; `[NAME]` may be left out, and stands last. */
  readonly words: readonly string[]
  /** What its first word may be, where those are too many for its usage. */
  readonly choices?: () => Promise<readonly string[]>
  readonly summary: string
  /** `null`: it only reads, and leaves nothing in the audit log. */
  readonly changes: CommandChange | null
  /** Besides its own flags it takes those of the settings (`settings/table.ts`). */
  readonly settings?: true
  /** In the order in which help shows them; `commands.ts` adds those that name the data. */
  readonly flags: readonly FlagSpec[]
  /** At most one flag of each list may be given. */
  readonly exclusive?: readonly (readonly string[])[]
  readonly examples: readonly [string, ...string[]]
  /** What its exit code says beyond what all codes say. */
  readonly exitCodes?: string
  /** What other programs call its flags (`flags.ts`). */
  readonly elsewhere?: FlagNames['elsewhere']
}

/** What a command does to the service, for the audit log. */
export interface CommandChange {
  readonly action: string
  /** Without any of these flags it only shows something. */
  readonly onlyWith?: readonly string[]
  /** An entry is due although no row has changed: it writes files, or hands something out. */
  readonly evenWithoutRows?: true
}

export interface CommandModule<Context> {
  readonly run: Run<Context>
  /** Tells what no type of a flag can tell, so that everything that is wrong is said at once. */
  readonly check?: CheckArguments
}

export interface FlagSpec {
  readonly name: string
  /** What stands for its value; `null`: it takes none. */
  readonly placeholder: string | null
  readonly doc: string
  /** It may be given again: the values are joined by commas. */
  readonly list?: true
  /** What its value may be; without a type, the command sees to that. */
  readonly type?: Pick<SettingType<unknown>, 'expected' | 'read'>
  /** The setting whose flag it is, and whose type: a complaint names the variable too. */
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
  'the data directory (BELLHOP_DATA; default ./bellhop-data, or /var/lib/bellhop where there is none)',
  { setting: 'data' },
)

/** On which data a command works: a directory here, or those of a server elsewhere. */
export const dataFlags: readonly FlagSpec[] = [
  dataFlag,
  valueFlag('server', 'URL', 'on the data of this server, where its admin side is reached (BELLHOP_SERVER)', {
    type: serverAddress,
  }),
  valueFlag('token-file', 'FILE', 'with the token in it (BELLHOP_TOKEN_FILE)', { type: path }),
]

export const jsonFlag = switchFlag('json', 'print one line of JSON')

export function jsonLinesFlag(of: string): FlagSpec {
  return switchFlag('json', `print a line of JSON for each ${of}`)
}

export interface ParsedArguments {
  readonly words: readonly string[]
  /** By name; a switch that is on has the value `''`. */
  readonly flags: ReadonlyMap<string, string>
  /** What is wrong with them so far, one sentence each; a command that takes settings adds what is wrong with those. */
  readonly problems: readonly string[]
}

/** What a command sees of the world. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly readFile: ReadFile
  readonly clock: Clock
  /** What was asked for. `false`: its reader has gone, and more would be for nobody. */
  readonly stdout: (text: string) => unknown
  /** Waits until the reader has taken what went there; left out, it has at once. */
  readonly written?: () => Promise<unknown>
  readonly stderr: (text: string) => void
  /** The terminal that standard output is; `null`: a pipe or a file, for which nothing is drawn. */
  readonly terminal: Terminal | null
  readonly signals: Signals
  /**
   * Everything that a command needs is loaded, and its work begins. The compiled program starts in a mode of its own
   * (`scripts/build/executable.ts`), which ends with this.
   */
  readonly started: () => void
  /** Runs the service until it is stopped; its exit code. It says itself when it has started. */
  readonly serve: (config: Config) => Promise<number>
  /** What has a server run commands of others. */
  readonly serveCommand: () => Promise<MakeServeCommand>
  /** The entry of this command in the audit log; left out where it leaves none. */
  readonly audit?: CommandAudit
  /** Who runs it, where a server runs it for somebody. */
  readonly by?: Actor
  /** Until when a token may last that it makes, ms since the Unix epoch; left out: as long as asked for. */
  readonly tokensUntil?: number
}

/** What a command works on, from the process that has the database: the server on that directory, else its own. */
export interface World extends CommandContext {
  readonly database: Database
  readonly data: string
  /** What only a running server knows; `null`: none runs, or the command runs beside it. */
  readonly served: Pick<CommandService, 'deliveries' | 'isStopping' | 'pauseOf' | 'received'> | null
  /** To be called in the transaction that seals: a rotation of the key is another one. */
  readonly sealingKey: () => LoadedKey | Problem | Problems
  /** Accepts pushes as the API does. */
  readonly pushing: () => Pushing
  /** Has a server on this directory take up what was changed, once that is committed. */
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
  /** What the command changes in this database has the entry in the same transaction. `end` needs it still. */
  watch(database: Database): Database
  about(application: string): void
  /** Never a secret, a device, a user or the text of a message. */
  note(detail: Readonly<Record<string, unknown>>): void
}

export interface Terminal {
  readonly columns: number
}

export type Signal = 'SIGHUP' | 'SIGINT' | 'SIGTERM'

/** Where signals are heard; `process` is one. */
export interface Signals {
  on(signal: Signal, listener: () => void): unknown
  off(signal: Signal, listener: () => void): unknown
}

/**
 * `done`: the exit code is 0. `failed`: it is 1, and what was found is printed all the same. `problem`: it could not be
 * done (1). `problems`: it was not asked for rightly (2). A problem is a sentence, printed after `bellhop: `, with what could move a terminal escaped. `served`:
 * the service has ended, and has printed what there was to say.
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

/** Nothing is wrong with what a check has looked at. */
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
