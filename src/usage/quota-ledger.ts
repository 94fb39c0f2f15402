import type { Application } from '../application/application.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { oldestKept, periodAt, secondsToEnd } from './quota-period.ts'
import type { Period, QuotaPeriod } from './quota-period.ts'

type Charged = Pick<Application, 'number' | 'limits'>

/**
 * Calls of `quota` that may be used up by whom has only the application id, which is public: the last fifth is for the
 * application's own backend (test/api/http/admission.test.ts). 0 for 0, which is unlimited.
 */
export function shareWithoutSecret(quota: number): number {
  return Math.floor((quota * 4) / 5)
}

/**
 * Counts the calls of each application, by day and by month, so that a changed period finds its count already there.
 *
 * A count is `changed` from a call to the next flush, then `flushed` until a later flush finds it in the database. The
 * ledger is not told whether the transaction it wrote in was committed, so it looks: what is not there is written
 * again. Counts are written as they stand, never as differences, so writing one twice does no harm.
 */
export interface QuotaLedger {
  /**
   * Counts one call if the application is below its quota (0 = unlimited, but counted), or below four fifths of it where
   * the call came without the secret; else counts nothing and says in how many seconds the period ends
   * (test/api/http/admission.test.ts).
   */
  charge(
    application: Charged,
    withSecret: boolean,
  ): { readonly allowed: true } | { readonly allowed: false; readonly retryAfterSeconds: number }
  /** Calls counted in the running period. */
  used(application: Charged): number
  /** Writes what changed. To be called once in a transaction, at its start: see `alongside` of the group commit. */
  flush(): void
  /**
   * Forgets the periods that are long over, of some applications whose number is over `after`; up to which it looked,
   * `null`: that was all.
   */
  sweep(now: number, after: number): number | null
  /**
   * Whether there are counts not known to be on disk. Turns false at the first flush after the commit that wrote them.
   */
  readonly dirty: boolean
}

/** Applications looked at in one step of a sweep, of up to 75 periods each: 5 ms. */
const SWEEP_LIMIT = 100

interface Counter extends Period {
  readonly application: number
  readonly kind: QuotaPeriod
  used: number
  /** What the last flush wrote. */
  written: number
  /** The quota for which the log has said that four fifths are used; 0: none. */
  saidOf: number
}

const ALLOWED = { allowed: true } as const

interface Dependencies {
  readonly database: Database
  readonly clock: Clock
  /** Hears, once a period and process, that four fifths of a quota are used. Default: nobody. */
  readonly onMostUsed?: (application: Charged, period: Period) => void
}

export function createQuotaLedger({ database, clock, onMostUsed }: Dependencies): QuotaLedger {
  const stored = database.statement<{ used: number }, [number, string]>(
    'SELECT used FROM quota WHERE application = ? AND period = ?',
  )
  // From the application's own row: one deleted meanwhile must not fail the transaction that everybody shares.
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
    // A period that is over stays only until it is on disk; should the clock go back, it is read from there.
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
    charge(application, withSecret) {
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
    used: ({ number, limits }) => counterOf(number, limits.quotaPeriod, clock.now()).used,
    flush() {
      takeBackWhatWasRolledBack()
      if (changed.size > 0) writeChanged()
    },
    sweep(now, after) {
      const last = next.get(after)?.number ?? null
      forget.run(after, last ?? Number.MAX_SAFE_INTEGER, oldestKept('day', now), oldestKept('month', now))
      return last
    },
    get dirty() {
      return changed.size > 0 || flushed.length > 0
    },
  }
}

function isRunning(period: Period, now: number): boolean {
  return period.startsAt <= now && now < period.endsAt
}
