import { PLATFORM } from '../platform.ts'
import type { Platform } from '../device/device.ts'
import { failure } from '../failure.ts'
import type { Failure } from '../failure.ts'
import { inLanguage, languagesOf } from './languages.ts'
import { sizedFields } from './notification.ts'
import type { Notification } from './notification.ts'

/** Apple: "Generating a remote notification"; Google: FCM messages; push services: RFC 8030, 7.2. All 4096 bytes. */
const MAX_RENDERED_BYTES = 4096

/** The failure of a notification that is too large for the gateway of one of these platforms; `null`: it is not. */
export type CheckSize = (notification: Notification, platforms: readonly Platform[]) => Failure | null

/** `sizeOf`: bytes of the notification as the gateway of each platform would get it. */
export function createSizeCheck(sizeOf: Readonly<Record<Platform, (notification: Notification) => number>>): CheckSize {
  return (notification, platforms) => {
    for (const language of languagesOf(notification)) {
      const sent = inLanguage(notification, language)
      const sizes = platforms.map((platform) => ({ platform, bytes: sizeOf[platform](sent) }))
      if (sizes.every(({ bytes }) => bytes <= MAX_RENDERED_BYTES)) continue
      const given = sizes.map(({ platform, bytes }) => `${bytes} bytes for ${PLATFORM[platform].gateway}`).join(', ')
      const problem = `are too large: ${given}; at most ${MAX_RENDERED_BYTES} are allowed.`
      return failure('InvalidArgument', `${sizedFields(notification, language)} ${problem}`)
    }
    return null
  }
}
