import type { Clock } from '../clock.ts'
import { failure, Refused } from '../failure.ts'

/** Concurrent counts of one application. */
const AT_ONCE = 2

const WAITING = 8

/** Including the wait. */
const LIMIT_SECONDS = 60

interface Line {
  running: number
  readonly waiting: Set<() => void>
}

/**
 * Runs `work` when the application has a free place; it must stop when its signal aborts. Rejects with `Refused` if too
 * many wait already, the caller has gone, or it takes too long.
 */
export type Counting = <T>(
  application: number,
  caller: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
) => Promise<T>

/** waiting → (a place is free) → running → done; waiting or running → (caller gone, or timeout) → aborted. */
export function createCounting({ clock }: { readonly clock: Pick<Clock, 'after'> }): Counting {
  const lines = new Map<number, Line>()

  async function enter(application: number, signal: AbortSignal): Promise<void> {
    const line = lines.get(application) ?? { running: 0, waiting: new Set() }
    lines.set(application, line)
    if (line.running < AT_ONCE) return void line.running++
    if (line.waiting.size >= WAITING) throw tooMany()
    await new Promise<void>((resolve, reject) => {
      line.waiting.add(resolve)
      signal.addEventListener('abort', () => {
        if (line.waiting.delete(resolve)) reject(signal.reason as Refused)
      })
    })
  }

  function leave(application: number): void {
    const line = lines.get(application)
    const [next] = line?.waiting ?? []
    if (next !== undefined) {
      line?.waiting.delete(next)
      next()
    } else if (line !== undefined && --line.running === 0) lines.delete(application)
  }

  return async (application, caller, work) => {
    const end = new AbortController()
    const goAway = () => end.abort(hasGone())
    if (caller.aborted) throw hasGone()
    caller.addEventListener('abort', goAway)
    const stopTime = clock.after(LIMIT_SECONDS * 1000, () => end.abort(tooLong()))
    try {
      await enter(application, end.signal)
      try {
        end.signal.throwIfAborted()
        return await work(end.signal)
      } finally {
        leave(application)
      }
    } finally {
      stopTime()
      caller.removeEventListener('abort', goAway)
    }
  }
}

function tooMany(): Refused {
  const problem = `${AT_ONCE + WAITING} audiences of the application are being counted: try again when one is done.`
  return new Refused(failure('TooManyRequestsError', problem, { 'retry-after': '5' }))
}

function tooLong(): Refused {
  const problem = `The audience was not counted within ${LIMIT_SECONDS} seconds: try again later, or with fewer conditions.`
  return new Refused(failure('TooManyRequestsError', problem, { 'retry-after': String(LIMIT_SECONDS) }))
}

/** Never read: the connection is closed. */
function hasGone(): Refused {
  return new Refused(failure('InvalidContent', 'The caller has gone.'))
}
