import { MINUTE_MS } from '../clock.ts'
import { logOf } from '../log.ts'
import type { Log, LogFields } from '../log.ts'

/** How often the same error is said. */
const PERIOD_MS = MINUTE_MS

/** Errors that are remembered, for they can all be different. */
const MAX_ITEMS = 1000

interface Said {
  /** Ms since the Unix epoch. */
  at: number
  /** How often the error has come since. */
  again: number
  event: string
  fields: LogFields
}

/**
 * A log that says the same error once a minute, with `repeated`: how often it has come since it was last said. One that
 * names a request, of which the caller has the id, is said each time, from the second on without its stack. `look`, once
 * a minute, says what is still to be said.
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
    // Also where the clock was put back.
    if (Math.abs(now() - said.at) >= PERIOD_MS) return say(said)
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
        else if (Math.abs(now() - said.at) >= PERIOD_MS) errors.delete(key)
      }
    },
  }
}

/** Its words, and whom it is about: counts and ids of calls change from one time to the next. */
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
