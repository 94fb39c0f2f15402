import { PLATFORM, PLATFORMS } from './platform.ts'
import { escapeControls, jsonLine } from './text/escape-controls.ts'
import { isoTime } from './text/format.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Never a device token, a secret or the text of a message. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

export interface Log {
  /** For fields that are expensive to compute. */
  writes(level: LogLevel): boolean
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
}

const RANK: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 }

export interface LogLine {
  readonly at: number
  readonly level: LogLevel
  readonly event: string
  readonly fields: LogFields
}

/** Includes the line break. */
export type RenderLine = (line: LogLine) => string

/** One line per event. Default `render`: JSON. */
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

export function logOf(writes: Log['writes'], say: (level: LogLevel, event: string, fields: LogFields) => void): Log {
  const at =
    (level: LogLevel) =>
    (event: string, fields: LogFields = {}) =>
      say(level, event, fields)
  return { writes, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** `{"time":"2026-…Z","level":"info","event":"push finished","push":"…"}` */
function jsonOf({ at, level, event, fields }: LogLine): string {
  return jsonLine({ time: isoTime(at), level, event, ...fields })
}

/** For a promise that nobody awaits. */
export function logError(log: Log): (error: unknown) => void {
  return (error) => log.error('a routine write failed', { error: String(error) })
}

/** SGR parameters (ECMA-48, 8.3.117). */
const COLOURS: Readonly<Record<LogLevel, number | null>> = { debug: 2, info: null, warn: 33, error: 31 }

const WIDEST = 'error'.length

const LABELS = new Map<number, string>(PLATFORMS.map((platform) => [platform, PLATFORM[platform].label]))

/**
 * For people, in local time: `12:00:03  warn   sending paused  Corner Shop  platform=ios reason=…`. Values of several
 * lines, such as a stack, follow below.
 */
export function logText(coloured: boolean): RenderLine {
  return (line) => {
    const colour = coloured ? COLOURS[line.level] : null
    const text = textOf(line)
    return colour === null ? `${text}\n` : `\u001B[${colour}m${text}\u001B[0m\n`
  }
}

function textOf({ at, level, event, fields: { name, application, ...fields } }: LogLine): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)
  const below = given.filter(([, value]) => typeof value === 'string' && value.includes('\n'))
  const beside = given.filter(([key]) => !below.some(([other]) => other === key))
  const whose = name ?? application
  return [
    [
      timeOf(at),
      level.padEnd(WIDEST),
      escapeControls(event),
      ...(whose === undefined || whose === null ? [] : [escapeControls(String(whose))]),
      ...(beside.length > 0 ? [beside.map(([key, value]) => `${key}=${valueOf(key, value)}`).join(' ')] : []),
    ].join('  '),
    ...below.flatMap(([, value]) => String(value).split('\n')).map((part) => `    ${escapeControls(part)}`),
  ].join('\n')
}

function valueOf(key: string, value: LogLine['fields'][string]): string {
  if (key === 'platform' && typeof value === 'number') return LABELS.get(value) ?? String(value)
  const text = escapeControls(String(value))
  return text === '' || /[\s"=]/.test(text) ? `"${text.replaceAll('"', String.raw`\"`)}"` : text
}

function timeOf(at: number): string {
  const zoned = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(Temporal.Now.timeZoneId())
  return zoned.toPlainTime().toString({ smallestUnit: 'second' })
}
