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

/**
 * JSON lines, one an event: `{"time":"2026-…Z","level":"info","event":"push finished","push":"…"}`.
 * They go to standard error: standard output carries only what a command prints.
 */
export function createLog(
  threshold: LogLevel,
  now: () => number,
  write: (line: string) => void = (line) => process.stderr.write(line),
): Log {
  const writes = (level: LogLevel) => RANK[level] >= RANK[threshold]
  const at =
    (level: LogLevel) =>
    (event: string, fields: LogFields = {}) => {
      if (!writes(level)) return
      write(`${JSON.stringify({ time: new Date(now()).toISOString(), level, event, ...fields })}\n`)
    }
  return { writes, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** What a log line may say of an unknown error: its stack stays on the server. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error)
}

/** For a promise that nobody else waits for. */
export function noted(log: Log): (error: unknown) => void {
  return (error) => log.error('a routine write failed', { error: String(error) })
}
