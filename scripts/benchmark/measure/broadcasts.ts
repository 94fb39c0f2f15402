import type { BenchGateway } from '../gateway/gateway.ts'
import type { ServiceProcess } from '../setup/service-process.ts'
import { finished, pushToAll } from './push-run.ts'

/** Repeats broadcasts until disposed; an open one stays open. */
export interface Broadcasts extends Disposable {
  startCount(): Promise<void>
  /** Requests a second at the gateway since `startCount`. Throws if a broadcast failed. */
  perSecond(): Promise<number>
}

/** Ms until a broadcast has opened its window and runs at full speed. */
const RUN_UP_MS = 1000

/** Resolves when the first broadcast, to `count` devices, runs at full speed. */
export async function keepBroadcasting(
  service: ServiceProcess,
  gateway: BenchGateway,
  count: number,
): Promise<Broadcasts> {
  const stop = new AbortController()
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => null) // once nobody asks for the rate, the service has been ended
  void (async () => {
    while (!stop.signal.aborted) await finished(service, await pushToAll(service), count)
  })().catch(failed.reject)
  await Bun.sleep(RUN_UP_MS)

  let started = performance.now()
  return {
    async startCount() {
      await gateway.reset()
      started = performance.now()
    },
    async perSecond() {
      const { requests } = await Promise.race([gateway.report(), failed.promise])
      return (requests * 1000) / (performance.now() - started)
    },
    [Symbol.dispose]: () => stop.abort(),
  }
}
