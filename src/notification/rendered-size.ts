import { PLATFORM } from '../platform.ts'
import type { Platform } from '../device/device.ts'
import { failure } from '../failure.ts'
import type { Failure } from '../failure.ts'
import { sizedFields } from './content-schema.ts'
import { inLanguage, languagesOf } from './languages.ts'
import type { Notification } from './notification.ts'

/** Apple: "Generating a remote notification"; Google: FCM messages; push services: RFC 8030, 7.2. */
const MAX_RENDERED_BYTES = 4096

/** `null`: small enough for all of them. */
export type CheckSize = (notification: Notification, platforms: readonly Platform[]) => Failure | null

type SizeOf = (notification: Notification) => number

/**
 * `sizeOf`: bytes as rendered. `iphoneSizeOf`: of the payload for iPhones behind FCM, which any application may have.
 */
export function createSizeCheck(sizeOf: Readonly<Record<Platform, SizeOf>>, iphoneSizeOf: SizeOf): CheckSize {
  return (notification, platforms) => {
    for (const language of languagesOf(notification)) {
      const sent = inLanguage(notification, language)
      const sizes = platforms.flatMap((platform) => {
        const { gateway, provider } = PLATFORM[platform]
        const size = { gateway, bytes: sizeOf[platform](sent) }
        if (provider !== 'fcm' || size.bytes > MAX_RENDERED_BYTES) return [size]
        const bytes = iphoneSizeOf(sent)
        return bytes > MAX_RENDERED_BYTES ? [size, { gateway: 'iPhones behind FCM', bytes }] : [size]
      })
      if (sizes.every(({ bytes }) => bytes <= MAX_RENDERED_BYTES)) continue
      const given = sizes.map(({ gateway, bytes }) => `${bytes} bytes for ${gateway}`).join(', ')
      const problem = `are too large: ${given}; at most ${MAX_RENDERED_BYTES} are allowed.`
      return failure('InvalidArgument', `${sizedFields(notification, language)} ${problem}`)
    }
    return null
  }
}
