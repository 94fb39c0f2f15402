import { MINUTE_MS } from '../../clock.ts'
import { logOf } from '../../log.ts'
import type { Log, LogFields } from '../../log.ts'

const PERIOD_MS = MINUTE_MS

/** They can all be different. */
const MAX_ITEMS = 1000

interface Said {
  /** Ms since the Unix epoch. */
  at: number
  /** Repeats since it was last logged. */
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
