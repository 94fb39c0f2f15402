import type { BenchGateway } from '../gateway/gateway.ts'
import type { ServiceProcess } from '../setup/service-process.ts'
import { cpuMs, forgetPeak, rssMb } from './process-figures.ts'
import { epochMs, finished } from './push-run.ts'
import type { PushRun } from './push-run.ts'
import { pushRate } from './send-figures.ts'
import type { SendFigures } from './send-figures.ts'

/** How often the gateway, not the service, is polled. */
const LOOK_MS = 50
/** Gives up after this long without a request. */
const STUCK_MS = 30_000

interface Broadcast {
  readonly service: ServiceProcess
  readonly gateway: BenchGateway
  /** Sum over all pushes. */
  readonly count: number
  /** Starts pushes of equal size. */
  readonly begin: () => Promise<readonly PushRun[]>
}

/** Runs until all outcomes are stored, since that is the service's work; the rate is that of arrivals. */
export async function timedBroadcast({ service, gateway, count, begin }: Broadcast): Promise<SendFigures> {
  await gateway.reset()
  forgetPeak(service.pid)
  const cpu = cpuMs(service.pid)
  const startMs = epochMs()
  const pushes = await begin()
  await allArrived(gateway, count)
  for (const push of pushes) await finished(service, push, count / pushes.length, LOOK_MS)
  const { resets } = await gateway.report()
  if (resets > 0) throw new Error(`the service reset ${resets} streams`)
  const cpuUs = ((cpuMs(service.pid) - cpu) * 1000) / count
  const peakMb = rssMb(service.pid).peak
  return { perSecond: await pushRate(gateway, count, startMs), cpuUs, peakMb }
}

async function allArrived(gateway: BenchGateway, count: number): Promise<void> {
  const startedAtMs = Date.now()
  for (;;) {
    const { requests, lastMs } = await gateway.report()
    if (requests >= count) return
    if (Date.now() - (lastMs ?? startedAtMs) > STUCK_MS) {
      throw new Error(`${requests} of ${count} pushes had come to the gateway, and then none for ${STUCK_MS / 1000} s`)
    }
    await Bun.sleep(LOOK_MS)
  }
}
