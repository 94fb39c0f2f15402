import type { Clock } from '../clock.ts'
import type { Problem } from '../failure.ts'
import type { FlagNames } from '../settings/flags.ts'
import type { Problems } from '../settings/parse.ts'
import type { ReadFile } from '../system/read-file.ts'

/** One command as help shows it and the parser knows it. */
export interface CommandSpec {
  /** `app create` */
  readonly name: string
  /** What stands after it: `NAME`; `[NAME]` may be left out, and stands last. */
  readonly words: readonly string[]
  /** What its first word may be, where those are too many for its usage. */
  readonly choices?: readonly string[]
  readonly summary: string
  /** Besides its own flags it takes those of the settings (`settings.ts`). */
  readonly settings?: true
  /** In the order in which help shows them. */
  readonly flags: readonly FlagSpec[]
  /** A line that works as it stands. */
  readonly example: string
  /** More of them. */
  readonly examples?: readonly string[]
  /** What its exit code says beyond what all codes say. */
  readonly exitCodes?: string
  /** What other programs call its flags (`flags.ts`). */
  readonly elsewhere?: FlagNames['elsewhere']
}

export interface FlagSpec {
  readonly name: string
  /** What stands for its value; `null`: it takes none. */
  readonly placeholder: string | null
  readonly doc: string
  /** It may be given again: the values are joined by commas. */
  readonly list?: true
}

export const dataFlag: FlagSpec = {
  name: 'data',
  placeholder: 'PATH',
  doc: 'the data directory (BELLHOP_DATA; default ./bellhop-data, or /var/lib/bellhop where there is none)',
}

export const jsonFlag: FlagSpec = { name: 'json', placeholder: null, doc: 'print one line of JSON' }

/** What stood on the command line: its own flags, and as many words as it takes. */
export interface ParsedArguments {
  readonly words: readonly string[]
  /** By name; a switch that is on has the value `''`. */
  readonly flags: ReadonlyMap<string, string>
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
 * done (1). `problems`: it was not asked for rightly (2). A problem is a sentence, printed after `bellhop: `.
 */
export type CommandOutcome =
  | { readonly kind: 'done'; /** Standard output; what was printed before stands before it. */ readonly text: string }
  | { readonly kind: 'failed'; readonly text: string }
  | Problem
  | Problems

export type RunCommand = (given: ParsedArguments, context: CommandContext) => Promise<CommandOutcome>

export function done(text: string): CommandOutcome {
  return { kind: 'done', text }
}

export function failed(text: string): CommandOutcome {
  return { kind: 'failed', text }
}

export function problems(...sentences: readonly string[]): Problems {
  return { kind: 'problems', problems: sentences }
}
