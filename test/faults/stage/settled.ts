import { within } from '../../support/until.ts'
import { PLATFORM_OF } from '../gateways/arrival.ts'
import type { Arrival } from '../gateways/arrival.ts'
import { allFinished } from '../judge/database-check.ts'
import { analyticsOf } from './api.ts'
import { keyOf } from './ledger.ts'
import type { Ledger } from './ledger.ts'
import { arrivalsOf, partiesOf } from './parties.ts'
import type { Stage } from './stage.ts'

/** Between two checks, in ms: each reads all arrivals. */
const PAUSE_MS = 250

/** Fits no service. */
const UNKNOWN = { t: -1, s: -2 }

type Parts = Pick<Stage, 'api' | 'ledger' | 'others' | 'apns' | 'fcm' | 'pushServices' | 'data'>

/**
 * Resolves with whether, within `patienceMs` milliseconds, every acknowledged push reaches its audience and counters
 * and database agree.
 */
export async function settled(parts: Parts, patienceMs: number): Promise<boolean> {
  const areSettled = async () => {
    // Usually the counts are enough.
    for (const { api, ledger } of partiesOf(parts)) {
      const { t, s } = (await analyticsOf(api)) ?? UNKNOWN
      if (ledger.fates.size === 0 && ledger.pushes.every(({ never }) => never.size === 0) && t !== s) return false
    }
    const arrivals = arrivalsOf(parts)
    for (const [party, { api, ledger }] of partiesOf(parts).entries()) {
      const { t, s } = (await analyticsOf(api)) ?? UNKNOWN
      const { taken, met } = reachedBy(arrivals[party] ?? [])
      if (s !== taken.size || t !== taken.size + owed(ledger, met) || missing(ledger, taken) > 0) return false
    }
    // A known device leaves with its next refusal.
    const fates = new Set(partiesOf(parts).flatMap(({ ledger }) => ledger.fates.values().toArray()))
    const isLeaving = fates.size === 1 && fates.has('leaves')
    return allFinished(parts.data, !isLeaving)
  }
  return within(patienceMs, areSettled, PAUSE_MS)
}

/** Resolves with whether every acknowledged push reaches everyone it can within `patienceMs` milliseconds. */
export async function reached(parts: Parts, patienceMs: number): Promise<boolean> {
  const areReached = () => {
    const arrivals = arrivalsOf(parts)
    return partiesOf(parts).every(({ ledger }, party) => missing(ledger, reachedBy(arrivals[party] ?? []).taken) === 0)
  }
  return within(patienceMs, areReached, PAUSE_MS)
}

/** By device and push: taken by a gateway, and seen by one. */
interface Reached {
  readonly taken: ReadonlySet<string>
  readonly met: ReadonlySet<string>
}

function reachedBy(arrivals: readonly Arrival[]): Reached {
  const keys = (some: readonly Arrival[]) =>
    new Set(some.map(({ gateway, text, token }) => `${text}/${keyOf(PLATFORM_OF[gateway], token)}`))
  return { taken: keys(arrivals.filter(({ taken }) => taken)), met: keys(arrivals) }
}

/** Devices of acknowledged pushes that no gateway has taken. */
function missing(ledger: Ledger, taken: ReadonlySet<string>): number {
  const acked = ledger.pushes.filter(({ ackedAt }) => ackedAt !== null)
  return acked.flatMap(({ text, must }) => [...must].filter((key) => !taken.has(`${text}/${key}`))).length
}

/** Devices of acknowledged pushes that their gateway refuses. */
function owed({ pushes, fates }: Ledger, met: ReadonlySet<string>): number {
  const acked = pushes.filter(({ ackedAt }) => ackedAt !== null)
  const isOwed = (text: string, key: string) => fates.get(key) !== 'leaves' || met.has(`${text}/${key}`)
  return acked.flatMap(({ text, never }) => [...never].filter((key) => isOwed(text, key))).length
}
