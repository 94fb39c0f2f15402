import type { BenchGateway } from '../gateway/gateway.ts'
import { cpuMs, forgetPeak, rssMb } from '../measure/process-figures.ts'
import { finished, pushToAll } from '../measure/push-run.ts'
import { pushRate } from '../measure/send-figures.ts'
import type { SendFigures } from '../measure/send-figures.ts'
import type { BenchContext } from '../setup/context.ts'
import { audienceSize } from '../setup/device-labels.ts'
import { copyOf, deviceSet } from '../setup/device-set.ts'
import { startServiceProcess } from '../setup/service-process.ts'

/** The whole service, on a number of devices. It stays up between broadcasts, as in life. */
export interface Broadcaster extends AsyncDisposable {
  broadcast(): Promise<SendFigures>
}

/** How often the gateway is asked how far it is: the service is left alone. */
const LOOK_MS = 50
/** No request for so long: it is not coming. */
const STUCK_MS = 30_000

/** Starts it, and has it push to a fiftieth of the devices, which is not counted. `count`: a multiple of 1,000. */
export async function startBroadcaster(
  { binary, folder }: BenchContext,
  gateway: BenchGateway,
  count: number,
): Promise<Broadcaster> {
  const devices = copyOf(deviceSet(folder, count))
  const service = await startServiceProcess({ binary, devices, gateway })
  const warmUp = { tags: ['group-0'] }
  await finished(service, await pushToAll(service, warmUp), audienceSize(warmUp, count))

  return {
    async broadcast() {
      await gateway.reset()
      forgetPeak(service.pid)
      const cpu = cpuMs(service.pid)
      const push = await pushToAll(service)
      await allArrived(gateway, count)
      // Until it has written down all outcomes, which is part of its work; the rate is that of the arrivals.
      await finished(service, push, count, LOOK_MS)
      const { resets } = await gateway.report()
      if (resets > 0) throw new Error(`the service reset ${resets} streams`)
      const cpuUs = ((cpuMs(service.pid) - cpu) * 1000) / count
      const peakMb = rssMb(service.pid).peak
      return { perSecond: await pushRate(gateway, count, push.postedAtMs), cpuUs, peakMb }
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      devices[Symbol.dispose]()
    },
  }
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
