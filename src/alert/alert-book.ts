import { MINUTE_MS } from '../clock.ts'
import type { Alert, AlertKind, AlertCondition } from './alert.ts'

/** Shorter conditions are ignored: many heal by themselves. */
const BEGINS_AFTER_MS = MINUTE_MS

/** A condition that returns within this time has not ended. */
const ENDS_AFTER_MS = 5 * MINUTE_MS

/** What an alert was told, or will be told, about a condition. */
export interface Knowledge extends Pick<AlertCondition, 'about' | 'kind' | 'what' | 'next'> {
  readonly alert: number
  readonly since: number
  /** `null`: still holds. */
  readonly endedAt: number | null
  /** Whether its beginning was reported. */
  readonly told: boolean
}

export interface Moment {
  readonly now: number
  /** Monotonic ms. */
  readonly monotonic: number
}

export type Holding = AlertCondition & { readonly since: number }

interface Watched {
  readonly condition: AlertCondition
  readonly since: number
  readonly firstSeen: number
  lastSeen: number
}

/**
 * unknown → (seen) → noticed → (seen at each look for a minute) → holds → (not seen for five minutes) → unknown.
 * noticed → (not seen) → unknown.
 */
export class ConditionWatch {
  readonly #watched = new Map<string, Watched>()

  /** A condition that held when the last process ended holds until a look no longer finds it. */
  resume({ about, kind, what, next, since }: Knowledge, { monotonic }: Moment): void {
    const condition = { about, kind, what, next, isFailure: false }
    this.#watched.set(about, { condition, since, firstSeen: monotonic - BEGINS_AFTER_MS, lastSeen: monotonic })
  }

  /** Returns what holds now. `seen`: found by this look. */
  look(seen: readonly AlertCondition[], { now, monotonic }: Moment): readonly Holding[] {
    for (const condition of seen) {
      const before = this.#watched.get(condition.about)
      const { since, firstSeen } = before ?? { since: now, firstSeen: monotonic }
      this.#watched.set(condition.about, { condition, since, firstSeen, lastSeen: monotonic })
    }
    for (const [about, { firstSeen, lastSeen }] of this.#watched) {
      const hasBegun = lastSeen - firstSeen >= BEGINS_AFTER_MS
      const goneMs = monotonic - lastSeen
      if (hasBegun ? goneMs >= ENDS_AFTER_MS : goneMs > 0) this.#watched.delete(about)
    }
    return [...this.#watched.values()]
      .filter(({ firstSeen, lastSeen }) => lastSeen - firstSeen >= BEGINS_AFTER_MS)
      .map(({ condition, since }) => Object.assign({ since }, condition))
  }
}

/** The kind under which the alert reports a condition; `null`: it does not. */
function kindFor({ kinds }: Pick<Alert, 'kinds'>, { kind, isFailure }: AlertCondition): AlertKind | null {
  if (kinds.includes(kind)) return kind
  return isFailure && kinds.includes('not-ready') ? 'not-ready' : null
}

/** Changes to an alert's knowledge, given what holds. */
export function learned(
  alert: Pick<Alert, 'number' | 'kinds'>,
  known: ReadonlyMap<string, Knowledge>,
  holding: readonly Holding[],
  now: number,
): readonly Knowledge[] {
  const holds = new Set<string>()
  const begun = holding.flatMap((condition): Knowledge[] => {
    const { about, what, next, since } = condition
    holds.add(about)
    const before = known.get(about)
    const kind = before?.kind ?? kindFor(alert, condition)
    if (kind === null) return []
    if (before === undefined)
      return [{ alert: alert.number, about, kind, what, next, since, endedAt: null, told: false }]
    // Its end, or its first wording, was not reported yet.
    if (before.endedAt !== null || (!before.told && before.what !== what)) return [{ ...before, what, endedAt: null }]
    return []
  })
  const ended = [...known.values()].filter(({ about, endedAt }) => endedAt === null && !holds.has(about))
  return [...begun, ...ended.map((one) => Object.assign({}, one, { endedAt: now }))]
}

/** Content of one message. */
export interface News {
  readonly kind: AlertKind
  readonly state: 'begun' | 'ended'
  /** At least one, earliest first. */
  readonly conditions: readonly Knowledge[]
}

/** What an alert was not told yet. A condition that ended before its beginning was reported becomes one message. */
export function newsIn(known: Iterable<Knowledge>): readonly News[] {
  const untold = [...known].filter(({ told, endedAt }) => !told || endedAt !== null)
  const groups = Map.groupBy(
    untold.toSorted((a, b) => a.since - b.since),
    ({ kind, endedAt }) => `${endedAt === null ? 'begun' : 'ended'} ${kind}`,
  )
  return [...groups.values()].flatMap((conditions): News[] => {
    const [first] = conditions
    if (first === undefined) return []
    return [{ kind: first.kind, state: first.endedAt === null ? 'begun' : 'ended', conditions }]
  })
}
