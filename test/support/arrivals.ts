import { expect } from 'bun:test'
import type { ReceivedPush } from '../../src/gateway/simulator/received-pushes.ts'
import type { Simulator } from '../../src/gateway/simulator/simulator.ts'
import type { Answer, Service } from './service.ts'
import { until } from './until.ts'

/**
 * Resolves when `count` arrivals that match have come to the simulator, with these, oldest first. Those that are
 * already there count.
 */
export async function arrivalsAt(
  simulator: Pick<Simulator, 'arrivals' | 'onArrival'>,
  count: number,
  matches: (arrival: ReceivedPush) => boolean = () => true,
): Promise<readonly ReceivedPush[]> {
  const found = simulator.arrivals().filter(matches)
  if (found.length >= count) return found
  return new Promise((resolve) => {
    const stop = simulator.onArrival((arrival) => {
      if (!matches(arrival)) return
      found.push(arrival)
      if (found.length < count) return
      stop()
      resolve(found)
    })
  })
}

/**
 * Resolves when the push is over on every platform: each device it addressed has been answered for, and it will reach
 * nobody else. With the arrivals that carry its id, oldest first; only those of the newest 1000 of all pushes.
 */
export async function arrivalsOf(service: Service, push: string): Promise<readonly ReceivedPush[]> {
  const deliveries = service.database.reading<{ all: number; open: number }, [string]>(
    `SELECT count(*) AS "all", count(*) FILTER (WHERE finished_at IS NULL) AS open
     FROM delivery d JOIN push p ON p.number = d.push WHERE p.id = ?`,
  )
  if (!deliveries.get(push)?.all) throw new Error(`there is no push ${push}`)
  // The end of a push is told to nobody; it is in the file.
  await until(() => deliveries.get(push)?.open === 0)
  const simulator = await service.server.simulator()
  return simulator.arrivals().filter(({ collapse }) => collapse === push)
}

/** The tokens that an accepted push has reached when it is over, sorted: who got it twice is there twice. */
export async function tokensReached(service: Service, answer: Answer): Promise<string[]> {
  expect(answer).toMatchObject({ status: 200, body: { message: 'Queued' } })
  return (await arrivalsOf(service, answer.body.id)).map(({ token }) => token).sort()
}

/**
 * The body of what arrived, without the id of its push, which it must carry: beside `aps`, or as text in FCM's `data`,
 * which is gone where nothing else was in it and something is shown.
 */
export function withoutPushId(arrived: unknown, push: string): unknown {
  const body = arrived as Readonly<Record<string, any>>
  if (body['aps'] !== undefined) {
    const { bellhop, ...others } = body
    expect(bellhop).toEqual({ push })
    return others
  }
  const { data, ...message } = body['message']
  const { bellhop, ...others } = data
  expect(bellhop).toBe(JSON.stringify({ push }))
  const isShown = message.notification !== undefined || message.android.notification !== undefined
  const isEmpty = Object.keys(others).length === 0
  return { ...body, message: isShown && isEmpty ? message : { ...message, data: others } }
}
