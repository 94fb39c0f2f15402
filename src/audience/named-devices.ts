import type { DeviceStore } from '../device/device-store.ts'
import type { Platform } from '../device/device.ts'
import { failure, Refused } from '../failure.ts'
import { filterOf } from './filter-schema.ts'
import type { Audience, Filter } from './filter.ts'

type Devices = Pick<DeviceStore, 'idsOf'>

/** Narrowed to the devices with these tokens; `null`: not narrowed. Unknown tokens are skipped. */
export function narrowed(devices: Devices, application: number, filter: Filter, tokens: readonly string[] | null) {
  return tokens === null ? filter : { ...filter, devices: devices.idsOf(application, filter.platforms, tokens) }
}

/** The devices with these tokens. Throws `Refused` where none of them is registered. */
export function audienceOfOne(
  devices: Devices,
  application: number,
  { platform, tokens }: { readonly platform: Platform; readonly tokens: readonly string[] },
): Audience {
  const [device, ...more] = devices.idsOf(application, [platform], tokens)
  if (device === undefined) throw new Refused(failure('ResourceNotFound', 'No device found'))
  if (more.length === 0) return { device, platform }
  return { filter: { ...filterOf({ platform: [platform] }), devices: [device, ...more] } }
}
