import { MIN_PART } from '../../device/device-search-store.ts'
import type { createDeviceSearch, FoundDevice } from '../../device/device-search-store.ts'
import type { Platform } from '../../device/device.ts'
import { problem } from '../../failure.ts'
import type { createPushSearch, NamedPush } from '../../push/push-search-store.ts'
import type { Problems } from '../../settings/parse.ts'
import { tokenPart } from '../../text/format.ts'
import { problems } from '../command.ts'
import type { CommandOutcome } from '../command.ts'

/** An id begins with its time, 8 digits to the minute: fewer would match any push. */
const MIN_ID_PART = 8

/** By an ID or its prefix. */
export function resolvePush(
  search: ReturnType<typeof createPushSearch>,
  given: string,
  data: string,
  /** Precedes the error: `--after: `. */
  flag = '',
): { readonly kind: 'one'; readonly push: NamedPush } | Problems | Extract<CommandOutcome, { kind: 'problem' }> {
  const id = given.toLowerCase().replace(/(…|\.\.\.)$/, '')
  if (!/^[0-9a-f-]{8,36}$/.test(id)) {
    return problems(
      `${flag}"${given}" is not a push ID: expected the UUID from the answer, or at least its first ${MIN_ID_PART} characters.`,
    )
  }
  const [first, second] = search.named(id, 2)
  if (first === undefined) {
    return problem(`There is no push ${id} in ${data}: use the UUID from the answer to the push.`)
  }
  if (second === undefined) return { kind: 'one', push: first }
  return problem(`More than one push starts with ${id}: use a longer prefix.`)
}

type Found =
  | { readonly kind: 'one'; readonly device: FoundDevice }
  | { readonly kind: 'none' }
  | Extract<CommandOutcome, { kind: 'problem' }>

/** A short prefix would get a misleading "No device"; `null`: long enough. */
export function tooShort(what: string, token: string): Problems | null {
  const given = token.replace(/(…|\.\.\.)$/, '')
  if (given.length >= MIN_PART) return null
  return problems(`${what}: no token is "${given}", and a prefix needs at least ${MIN_PART} characters.`)
}

/** By a token or its prefix. */
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
  return problem(`More than one token starts with ${tokenPart(token)}: use a longer prefix.`)
}
