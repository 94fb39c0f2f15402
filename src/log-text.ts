import { harmless } from './harmless.ts'
import type { LogLevel, LogLine, RenderLine } from './log.ts'

/** SGR parameters (ECMA-48, 8.3.117). */
const COLOURS: Readonly<Record<LogLevel, number | null>> = { debug: 2, info: null, warn: 33, error: 31 }

const WIDEST = 'error'.length

/** What is 0 and 1 in the database. */
const PLATFORMS = ['ios', 'android']

/**
 * Lines for people: `12:00:03  warn   sending paused  Corner Shop  platform=ios reason=…`, in the time of this machine.
 * What has several lines, such as a stack, stands below. `coloured`: by how serious it is.
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
      harmless(event),
      ...(whose === undefined || whose === null ? [] : [harmless(String(whose))]),
      ...(beside.length > 0 ? [beside.map(([key, value]) => `${key}=${valueOf(key, value)}`).join(' ')] : []),
    ].join('  '),
    ...below.flatMap(([, value]) => String(value).split('\n')).map((part) => `    ${harmless(part)}`),
  ].join('\n')
}

function valueOf(key: string, value: LogLine['fields'][string]): string {
  if (key === 'platform' && typeof value === 'number') return PLATFORMS[value] ?? String(value)
  const text = harmless(String(value))
  return text === '' || /[\s"=]/.test(text) ? `"${text.replaceAll('"', String.raw`\"`)}"` : text
}

function timeOf(at: number): string {
  const zoned = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(Temporal.Now.timeZoneId())
  return zoned.toPlainTime().toString({ smallestUnit: 'second' })
}
