import type { KeptLine, RecentLines } from '../../admin/routes/operation-routes.ts'
import type { ApplicationDirectory } from '../../application/application-directory.ts'
import type { Application } from '../../application/application.ts'
import { MINUTE_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { monitorCorruption } from '../../database/corruption-monitor.ts'
import { createLog, logOf, logText } from '../../log.ts'
import type { Log, LogFields } from '../../log.ts'
import type { Config } from '../../settings/parse.ts'

/** About 200 KB. */
const KEPT_LINES = 500

type Names = Pick<ApplicationDirectory, 'byId' | 'byNumber'>

/** Standard output carries only what a command prints. `auto` is text on a terminal. */
function standardErrorLog({ logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>, now: () => number): Log {
  const terminal = process.stderr.isTTY
  const { NO_COLOR: plain = '', TERM: kind } = process.env
  const text = logFormat === 'text' || (logFormat === 'auto' && terminal)
  // no-color.org, as for the commands.
  const render = text ? logText(terminal && plain === '' && kind !== 'dumb') : undefined
  return createLog(logLevel, now, (line) => process.stderr.write(line), render)
}

/** `base`: default standard error. */
export function createServiceLog(
  config: Pick<Config, 'data' | 'logLevel' | 'logFormat'>,
  clock: Clock,
  base: Log = standardErrorLog(config, clock.now),
) {
  const ring = createLogRing(base, clock.now)
  let names: Names | null = null
  const named = withNames(ring.log, (which) => {
    const found = typeof which === 'number' ? names?.byNumber(which) : names?.byId(which)
    return found ?? null
  })
  const repeats = withoutRepeats(named, clock.now)
  return {
    damage: monitorCorruption(repeats.log, config.data),
    /** From here on, lines about an application have its name. */
    naming: (directory: Names) => void (names = directory),
    /** Logs what was held back. Call once a minute. */
    look: repeats.look,
    recentLines: ring.recentLines,
  }
}

export function createLogRing(base: Log, now: () => number): { readonly log: Log; readonly recentLines: RecentLines } {
  const lines: KeptLine[] = []
  let last = 0
  return {
    log: logOf(
      (level) => base.writes(level),
      (level, event, fields) => {
        if (base.writes(level)) {
          lines.push({ number: ++last, at: now(), level, event, fields })
          if (lines.length > KEPT_LINES) lines.shift()
        }
        base[level](event, fields)
      },
    ),
    // A higher number is from before a restart.
    recentLines: (number) => (number > last ? [...lines] : lines.filter((line) => line.number > number)),
  }
}

/**
 * Adds the application's id and name to each line about one: `"application":"app_…","name":"Corner Shop"`. Callers give
 * its number or id.
 */
function withNames(log: Log, find: (which: number | string) => Pick<Application, 'id' | 'name'> | null): Log {
  function named(fields: LogFields): LogFields {
    const { application } = fields
    if (typeof application !== 'number' && typeof application !== 'string') return fields
    const known = find(application)
    return known === null ? fields : { ...fields, application: known.id, name: known.name }
  }

  return logOf(
    (level) => log.writes(level),
    (level, event, fields) => {
      if (log.writes(level)) log[level](event, named(fields))
    },
  )
}

const MAX_ITEMS = 1000

interface Said {
  at: number
  again: number
  event: string
  fields: LogFields
}

/**
 * Logs the same error once a minute, with the number of repeats in `repeated`. One with a request ID, which the caller
 * has too, is logged each time, from the second on without its stack. Call `look` once a minute: it logs what is held
 * back.
 */
export function withoutRepeats(log: Log, now: () => number): { readonly log: Log; readonly look: () => void } {
  const errors = new Map<string, Said>()

  function say(said: Said): void {
    const { event, fields, again } = said
    said.at = now()
    said.again = 0
    log.error(event, again === 0 ? fields : { ...fields, repeated: again })
  }

  function error(event: string, fields: LogFields): void {
    const key = keyOf(event, fields)
    const said = errors.get(key)
    if (said === undefined) {
      if (errors.size >= MAX_ITEMS) errors.clear()
      const first = { at: now(), again: 0, event, fields }
      errors.set(key, first)
      return say(first)
    }
    Object.assign(said, { event, fields })
    // Also if the clock was set back.
    if (Math.abs(now() - said.at) >= MINUTE_MS) return say(said)
    if (fields['requestId'] !== undefined) return log.error(event, { ...fields, error: firstLine(fields['error']) })
    said.again += 1
  }

  return {
    log: logOf(
      (level) => log.writes(level),
      (level, event, fields) => {
        if (level === 'error') error(event, fields)
        else log[level](event, fields)
      },
    ),
    look() {
      for (const [key, said] of errors) {
        if (said.again > 0) say(said)
        else if (Math.abs(now() - said.at) >= MINUTE_MS) errors.delete(key)
      }
    },
  }
}

/** Counts and request IDs differ from one time to the next. */
function keyOf(event: string, fields: LogFields): string {
  const same = Object.entries(fields).filter(
    ([name, value]) =>
      name !== 'requestId' && (typeof value === 'string' || name === 'application' || name === 'platform'),
  )
  return JSON.stringify([event, same])
}

function firstLine(value: LogFields[string]): LogFields[string] {
  return typeof value === 'string' ? value.split('\n', 1)[0] : value
}
