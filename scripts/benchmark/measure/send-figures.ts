import type { BenchGateway } from '../gateway/gateway.ts'

export type SendFigures = {
  readonly perSecond: number
  /** CPU time of the sender alone, in µs a push. */
  readonly cpuUs: number
  /** Highest resident size in MB. */
  readonly peakMb?: number
}

/**
 * Pushes a second from `startMs` (since the Unix epoch; `null`: the first arrival) to the last arrival. Throws unless
 * exactly `count` requests arrived since the gateway's reset. Streams reset by the sender are fine: Go's client resets
 * some that are answered, when the answer overtakes its bookkeeping.
 */
export async function pushRate(gateway: BenchGateway, count: number, startMs: number | null): Promise<number> {
  const { requests, firstMs, lastMs } = await gateway.report()
  if (requests !== count || firstMs === null || lastMs === null) {
    throw new Error(`${requests} requests came to the gateway, where ${count} pushes were sent`)
  }
  return (count * 1000) / (lastMs - (startMs ?? firstMs))
}
