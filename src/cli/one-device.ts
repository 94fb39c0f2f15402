import type { createDeviceSearch, FoundDevice } from '../device/device-search-store.ts'
import type { Platform } from '../device/device.ts'
import { problem } from './command.ts'
import type { Outcome } from './command.ts'
import { tokenPart } from './figures.ts'
import { harmless } from './style.ts'

type Found =
  | { readonly kind: 'one'; readonly device: FoundDevice }
  | { readonly kind: 'none' }
  | Extract<Outcome, { kind: 'problem' }>

/** The device that a token, or the beginning of one, names. Where both platforms hold it, one must be chosen. */
export function oneDevice(
  search: Pick<ReturnType<typeof createDeviceSearch>, 'byToken'>,
  application: number,
  token: string,
  platforms: readonly Platform[],
): Found {
  const devices = search.byToken(application, token, 3).filter(({ platform }) => platforms.includes(platform))
  const [first, second] = devices
  if (first === undefined) return { kind: 'none' }
  if (second === undefined) return { kind: 'one', device: first }
  if (devices.every((one) => one.token === first.token)) {
    return problem(`Both platforms have a device with this token: --platform ios or --platform android chooses one.`)
  }
  return problem(`More than one token begins with ${harmless(tokenPart(token))}: give more of it.`)
}
