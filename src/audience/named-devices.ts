import type { DeviceStore } from '../device/device-store.ts'
import type { Platform } from '../device/device.ts'
import { failure } from '../failure.ts'
import { filterOf } from './filter-schema.ts'
import type { Audience, Filter } from './filter.ts'

type Devices = Pick<DeviceStore, 'idsOf'>

export const NO_DEVICE = failure('ResourceNotFound', 'No device found')

/** `null` tokens don't narrow. Skips unknown tokens. */
export function narrowed(devices: Devices, application: number, filter: Filter, tokens: readonly string[] | null) {
  return tokens === null ? filter : { ...filter, devices: devices.idsOf(application, filter.platforms, tokens) }
}

/** `null`: none of the tokens is registered. */
export function audienceOfOne(
  devices: Devices,
  application: number,
  { platform, tokens }: { readonly platform: Platform; readonly tokens: readonly string[] },
): Audience | null {
  const [device, ...more] = devices.idsOf(application, [platform], tokens)
  if (device === undefined) return null
  if (more.length === 0) return { device, platform }
  return { filter: { ...filterOf({ platform: [platform] }), devices: [device, ...more] } }
}
