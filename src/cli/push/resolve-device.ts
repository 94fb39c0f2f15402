import { MIN_PART } from '../../device/device-search-store.ts'
import type { createDeviceSearch, FoundDevice } from '../../device/device-search-store.ts'
import type { Platform } from '../../device/device.ts'
import { problem } from '../../failure.ts'
import type { Problems } from '../../settings/parse.ts'
import { tokenPart } from '../../text/format.ts'
import { problems } from '../command.ts'
import type { CommandOutcome } from '../command.ts'

type Found =
  | { readonly kind: 'one'; readonly device: FoundDevice }
  | { readonly kind: 'none' }
  | Extract<CommandOutcome, { kind: 'problem' }>

/**
 * A part of a token that is too short names no device, and `No device` would only mislead; `null` where it is long
 * enough.
 */
export function tooShort(what: string, token: string): Problems | null {
  const given = token.replace(/(…|\.\.\.)$/, '')
  if (given.length >= MIN_PART) return null
  return problems(`${what}: no token is "${given}", and of its beginning at least ${MIN_PART} characters are needed.`)
}

/** The device that a token, or the beginning of one, names. Where several platforms hold it, one must be chosen. */
export function resolveDevice(
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
    return problem('Several platforms have a device with this token: --platform chooses one.')
  }
  return problem(`More than one token begins with ${tokenPart(token)}: give more of it.`)
}
