import type { Arrival } from './arrival.ts'
import { allFinished } from './database-check.ts'
import { keyOf } from './ledger.ts'
import type { Stage } from './stage.ts'

/**
 * Resolves when every acknowledged push has reached its audience and the counters and the database say so, or with
 * `false` after `patienceMs` milliseconds.
 */
export async function settled(
  { api, ledger, apns, fcm, data }: Pick<Stage, 'api' | 'ledger' | 'apns' | 'fcm' | 'data'>,
  patienceMs: number,
): Promise<boolean> {
  const deadline = Date.now() + patienceMs
  while (Date.now() < deadline) {
    const analytics = await api.call('GET', '/analytics')
    const { t, s } = analytics?.status === 200 ? analytics.body : { t: -1, s: -2 }
    if (t === s) {
      const reached = reachedBy([...apns.arrivals, ...fcm.arrivals])
      const all = ledger.pushes.every(
        ({ text, ackedAt, must }) => ackedAt === null || [...must].every((key) => reached.has(`${text}/${key}`)),
      )
      if (all && reached.size === s && allFinished(data)) return true
    }
    await Bun.sleep(100)
  }
  return false
}

function reachedBy(arrivals: readonly Arrival[]): ReadonlySet<string> {
  const reached = new Set<string>()
  for (const { gateway, text, token, taken } of arrivals) {
    if (taken) reached.add(`${text}/${keyOf(gateway === 'apns' ? 0 : 1, token)}`)
  }
  return reached
}
