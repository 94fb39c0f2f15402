import { jsonLine } from './harmless.ts'
import { logText } from './log-text.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Facts that may be logged. Never a device token, a secret or the text of a message. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

export interface Log {
  /** Whether lines of this level are written: for what costs something to put together. */
  writes(level: LogLevel): boolean
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
}

const RANK: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 }

/** One line of the log, as it was said. */
export interface LogLine {
  /** Ms since the Unix epoch. */
  readonly at: number
  readonly level: LogLevel
  readonly event: string
  readonly fields: LogFields
}

/** A line as it is written, with its line break. */
export type RenderLine = (line: LogLine) => string

/** Lines, one an event, each as `render` has it; default JSON. */
export function createLog(
  threshold: LogLevel,
  now: () => number,
  write: (line: string) => void,
  render: RenderLine = jsonOf,
): Log {
  const writes = (level: LogLevel) => RANK[level] >= RANK[threshold]
  return logOf(writes, (level, event, fields) => {
    if (writes(level)) write(render({ at: now(), level, event, fields }))
  })
}

/** To standard error: standard output carries only what a command prints. `auto` is text on a terminal. */
export function standardErrorLog(
  { logLevel, logFormat }: { readonly logLevel: LogLevel; readonly logFormat: 'auto' | 'text' | 'json' },
  now: () => number,
): Log {
  const terminal = process.stderr.isTTY
  const { NO_COLOR: plain = '', TERM: kind } = process.env
  const text = logFormat === 'text' || (logFormat === 'auto' && terminal)
  // no-color.org, as for the commands.
  const render = text ? logText(terminal && plain === '' && kind !== 'dumb') : jsonOf
  return createLog(logLevel, now, (line) => process.stderr.write(line), render)
}

/** A log whose lines all go to `say`. */
export function logOf(writes: Log['writes'], say: (level: LogLevel, event: string, fields: LogFields) => void): Log {
  const at =
    (level: LogLevel) =>
    (event: string, fields: LogFields = {}) =>
      say(level, event, fields)
  return { writes, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** `{"time":"2026-…Z","level":"info","event":"push finished","push":"…"}` */
function jsonOf({ at, level, event, fields }: LogLine): string {
  return jsonLine({ time: new Date(at).toISOString(), level, event, ...fields })
}

/** What a log line may say of an unknown error: its stack stays on the server. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error)
}

/** For a promise that nobody else waits for. */
export function noted(log: Log): (error: unknown) => void {
  return (error) => log.error('a routine write failed', { error: String(error) })
}
