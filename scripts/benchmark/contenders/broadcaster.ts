import type { BenchGateway } from '../gateway/gateway.ts'
import { finished, pushToAll } from '../measure/push-run.ts'
import type { SendFigures } from '../measure/send-figures.ts'
import { timedBroadcast } from '../measure/timed-broadcast.ts'
import type { BenchContext } from '../setup/context.ts'
import { audienceSize } from '../setup/device-labels.ts'
import { copyOf, deviceSet } from '../setup/device-set.ts'
import type { DeviceSet } from '../setup/device-set.ts'
import { startServiceProcess } from '../setup/service-process.ts'

/** The whole service, on a number of devices. It stays up between broadcasts, as in life. */
export interface Broadcaster extends AsyncDisposable {
  /** `more`: fields of the body beside those of all pushes, or in their place. */
  broadcast(more?: object): Promise<SendFigures>
}

/**
 * Starts it, and has it push to a fiftieth of the devices, which is not counted. `count`: a multiple of 1,000. `change`:
 * what is to be different in the devices of the set. `platform`: theirs.
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
