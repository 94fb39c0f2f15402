import type { BenchGateway } from '../gateway/gateway.ts'

/** What sending a number of pushes took. */
export type SendFigures = {
  readonly perSecond: number
  /** CPU time of the sender alone, in µs a push. */
  readonly cpuUs: number
  /** Highest resident size in MB. */
  readonly peakMb?: number
}

/**
 * Pushes a second from `startMs` (since the Unix epoch; `null`: from the first arrival) to the last arrival. Throws
 * unless exactly `count` requests have come since the gateway's reset. Streams that the sender reset do not matter then:
 * Go's client resets some that are answered already, when the answer overtakes its own bookkeeping.
 */
export async function pushRate(gateway: BenchGateway, count: number, startMs: number | null): Promise<number> {
  const { requests, firstMs, lastMs } = await gateway.report()
  if (requests !== count || firstMs === null || lastMs === null) {
    throw new Error(`${requests} requests came to the gateway, where ${count} pushes were sent`)
  }
  return (count * 1000) / (lastMs - (startMs ?? firstMs))
}
