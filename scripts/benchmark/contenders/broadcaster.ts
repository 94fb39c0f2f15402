import type { BenchGateway } from '../gateway/gateway.ts'
import { finished, pushToAll } from '../measure/push-run.ts'
import type { SendFigures } from '../measure/send-figures.ts'
import { timedBroadcast } from '../measure/timed-broadcast.ts'
import type { BenchContext } from '../setup/context.ts'
import { audienceSize } from '../setup/device-labels.ts'
import { copyOf, deviceSet } from '../setup/device-set.ts'
import type { DeviceSet } from '../setup/device-set.ts'
import { startServiceProcess } from '../setup/service-process.ts'

/** The whole service. It keeps running between broadcasts, as in production. */
export interface Broadcaster extends AsyncDisposable {
  /** `more`: fields added to the body. */
  broadcast(more?: object): Promise<SendFigures>
}

/**
 * Warms up with an uncounted push to a fiftieth of the devices. `count`: a multiple of 1,000. `change`: applied to the
 * set of devices.
 */
export async function startBroadcaster(
  { binary, folder }: BenchContext,
  gateway: BenchGateway,
  count: number,
  change: (devices: DeviceSet) => void = () => undefined,
  platform: 0 | 1 = 0,
): Promise<Broadcaster> {
  const devices = copyOf(deviceSet(folder, count))
  change(devices)
  const service = await startServiceProcess({ binary, devices, gateway })
  const warmUp = { tags: ['group-0'] }
  await finished(service, await pushToAll(service, { ...warmUp, platform }), audienceSize(warmUp, count))

  return {
    broadcast: (more) =>
      timedBroadcast({ service, gateway, count, begin: async () => [await pushToAll(service, { platform, ...more })] }),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      devices[Symbol.dispose]()
    },
  }
}
