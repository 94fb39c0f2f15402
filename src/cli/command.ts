import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Problem } from '../failure.ts'
import type { FlagNames } from '../settings/flags.ts'
import type { Config, Problems } from '../settings/parse.ts'
import { serverAddress } from '../settings/network-types.ts'
import { path } from '../settings/setting-type.ts'
import type { SettingType } from '../settings/setting-type.ts'
import type { SettingName } from '../settings/table.ts'
import type { ReadFile } from '../system/read-file.ts'

/** One command: as help shows it, as the parser knows it, and what runs it. */
export interface CommandSpec {
  /** `app create` */
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
  /** In the order in which help shows them. */
  readonly flags: readonly FlagSpec[]
  /** Of each of these lists one flag at the most may stand. */
  readonly exclusive?: readonly (readonly string[])[]
  /** Lines that work as they stand. */
  readonly examples: readonly [string, ...string[]]
  /** What its exit code says beyond what all codes say. */
  readonly exitCodes?: string
  /** What other programs call its flags (`flags.ts`). */
  readonly elsewhere?: FlagNames['elsewhere']
  /** Only what is asked for is loaded. */
  readonly load: () => Promise<CommandModule>
}

/** What a command does to the service, for the audit log. */
export interface CommandChange {
  /** What the audit log calls it. */
  readonly action: string
  /** Without any of these flags it only shows something. */
  readonly onlyWith?: readonly string[]
  /** An entry is due although no row has changed: it writes files, or hands something out. */
  readonly evenWithoutRows?: true
}

interface CommandModule {
  readonly run: RunCommand
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

export const dataFlag: FlagSpec = {
  name: 'data',
  setting: 'data',
  placeholder: 'PATH',
  doc: 'the data directory (BELLHOP_DATA; default ./bellhop-data, or /var/lib/bellhop where there is none)',
}

/** Of commands that also run on the data of a server elsewhere. */
export const serverFlag: FlagSpec = {
  name: 'server',
  type: serverAddress,
  placeholder: 'URL',
  doc: 'on the data of this server, where its admin side is reached (BELLHOP_SERVER)',
}

const tokenFileFlag: FlagSpec = {
  name: 'token-file',
  type: path,
  placeholder: 'FILE',
  doc: 'with the token in it (BELLHOP_TOKEN_FILE)',
}

/** On which data a command works: a directory here, or those of a server elsewhere. */
export const dataFlags: readonly FlagSpec[] = [dataFlag, serverFlag, tokenFileFlag]

export const jsonFlag: FlagSpec = { name: 'json', placeholder: null, doc: 'print one line of JSON' }

/** What stood on the command line: flags that the command has, and no more words than it takes. */
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
  /** Progress and complaints. */
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
  /** The entry of this command in the audit log; left out where it leaves none. */
  readonly audit?: CommandAudit
}

/** What a command tells its entry in the audit log. */
export interface CommandAudit {
  /** The command works on this database: what it changes there has the entry in the same transaction. `run` closes it. */
  watch(database: Database): Database
  /** The id of the application that it is about. */
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

export type RunCommand = (given: ParsedArguments, context: CommandContext) => Promise<CommandOutcome>

export type CheckArguments = (
  given: ParsedArguments,
  context: CommandContext,
) => { readonly kind: string; readonly problems?: readonly string[] }

export function done(text: string): CommandOutcome {
  return { kind: 'done', text }
}

export function failed(text: string): CommandOutcome {
  return { kind: 'failed', text }
}

export function problems(...sentences: readonly string[]): Problems {
  return { kind: 'problems', problems: sentences }
}
