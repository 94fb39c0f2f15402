import type { Application } from '../application/application.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { oldestKept, periodAt, secondsToEnd } from './quota-period.ts'
import type { Period, QuotaPeriod } from './quota-period.ts'

type Charged = Pick<Application, 'number' | 'limits'>

/**
 * Without the secret: the application id is public, so the last fifth is left for the application's own backend.
 */
export function shareWithoutSecret(quota: number): number {
  return Math.floor((quota * 4) / 5)
}

/** Applications in one step of a sweep, with up to 75 periods each: 5 ms. */
const SWEEP_LIMIT = 100

interface Counter extends Period {
  readonly application: number
  readonly kind: QuotaPeriod
  used: number
  /** At the last flush. */
  written: number
  /** The quota that `onMostUsed` was called for. */
  saidOf: number
}

type Charge = { readonly allowed: true } | { readonly allowed: false; readonly retryAfterSeconds: number }

const ALLOWED: Charge = { allowed: true }

interface Dependencies {
  readonly database: Database
  readonly clock: Clock
  /** Once per period and process, at four fifths of a quota. */
  readonly onMostUsed?: (application: Charged, period: Period) => void
}

export type QuotaLedger = ReturnType<typeof createQuotaLedger>

/**
 * Counts calls by day and month, so that the count is there when the period of a quota changes.
 *
 * A count is `changed` from a call to the next flush, then `flushed` until a later flush finds it in the database: the
 * ledger does not learn whether a transaction was committed, so it looks, and writes again what is missing. It writes
 * counts, not differences, so writing one twice does no harm.
 */
export function createQuotaLedger({ database, clock, onMostUsed }: Dependencies) {
  const stored = database.statement<{ used: number }, [number, string]>(
    'SELECT used FROM quota WHERE application = ? AND period = ?',
  )
  // A deleted application must not fail the transaction that all calls share.
  const write = database.statement<never, [string, number, number]>(
    `INSERT INTO quota (application, period, used) SELECT number, ?, ? FROM application WHERE number = ?
     ON CONFLICT (application, period) DO UPDATE SET used = excluded.used`,
  )
  const next = database.statement<{ number: number }, [after: number]>(
    `SELECT number FROM application WHERE number > ? ORDER BY number LIMIT 1 OFFSET ${SWEEP_LIMIT - 1}`,
  )
  const forget = database.statement<never, [number, number, day: string, month: string]>(
    `DELETE FROM quota WHERE application > ? AND application <= ?
       AND period < CASE length(period) WHEN 10 THEN ? ELSE ? END`,
  )

  const counters = new Map<number, Counter[]>()
  const changed = new Set<Counter>()
  let flushed: Counter[] = []

  function counterOf(application: number, kind: QuotaPeriod, now: number): Counter {
    const known = counters.get(application)
    const running = known?.find((counter) => counter.kind === kind && isRunning(counter, now))
    if (running !== undefined) return running
    const period = periodAt(kind, now)
    const used = stored.get(application, period.name)?.used ?? 0
    const counter: Counter = { ...period, application, kind, used, written: used, saidOf: 0 }
    // A period that has ended stays until it is on disk. If the clock goes back, it is read again.
    const kept = known?.filter((one) => isRunning(one, now) || changed.has(one) || flushed.includes(one)) ?? []
    counters.set(application, [...kept, counter])
    return counter
  }

  function count(counter: Counter): void {
    counter.used += 1
    changed.add(counter)
  }

  function takeBackWhatWasRolledBack(): void {
    for (const counter of flushed) {
      const used = stored.get(counter.application, counter.name)?.used
      if (used === undefined || used < counter.written) changed.add(counter)
    }
    flushed = []
  }

  function writeChanged(): void {
    const written: Counter[] = []
    for (const counter of changed) {
      counter.written = counter.used
      if (write.run(counter.name, counter.used, counter.application).changes > 0) written.push(counter)
      else counters.delete(counter.application)
    }
    // Last, so that a write that throws leaves everything changed.
    flushed = written
    changed.clear()
  }

  return {
    /** Counts one call below the quota (0 = unlimited), or below four fifths of it without the secret. */
    charge(application: Charged, withSecret: boolean): Charge {
      const { number, limits } = application
      const { quota, quotaPeriod } = limits
      const now = clock.now()
      const day = counterOf(number, 'day', now)
      const month = counterOf(number, 'month', now)
      const held = quotaPeriod === 'day' ? day : month
      const share = shareWithoutSecret(quota)
      const allowed = quota === 0 || held.used < (withSecret ? quota : share)
      if (allowed) {
        count(day)
        count(month)
      }
      if (quota > 0 && held.used >= share && held.saidOf !== quota) {
        held.saidOf = quota
        onMostUsed?.(application, held)
      }
      return allowed ? ALLOWED : { allowed, retryAfterSeconds: secondsToEnd(held, now) }
    },
    /** In the current period. */
    used: ({ number, limits }: Charged): number => counterOf(number, limits.quotaPeriod, clock.now()).used,
    /** Call this once in a transaction, at its start: see `alongside` of the group commit. */
    flush(): void {
      takeBackWhatWasRolledBack()
      if (changed.size > 0) writeChanged()
    },
    /** Erases old periods of applications over `after`; returns the last one looked at, `null`: the end. */
    sweep(now: number, after: number): number | null {
      const last = next.get(after)?.number ?? null
      forget.run(after, last ?? Number.MAX_SAFE_INTEGER, oldestKept('day', now), oldestKept('month', now))
      return last
    },
    /** Counts may not be on disk. False at the first flush after the commit that wrote them. */
    get dirty(): boolean {
      return changed.size > 0 || flushed.length > 0
    },
  }
}

function isRunning(period: Period, now: number): boolean {
  return period.startsAt <= now && now < period.endsAt
}
