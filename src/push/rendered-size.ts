import type { Platform } from '../device/device.ts'
import { failure } from '../failure.ts'
import type { Failure } from '../failure.ts'
import { messageBytes } from '../gateway/webpush/encryption.ts'
import { apnsBytes } from '../notification/apns-render.ts'
import { sizedFields } from '../notification/content-schema.ts'
import { fcmBytes, fcmIphoneBytes } from '../notification/fcm-render.ts'
import { inLanguage, languagesOf } from '../notification/languages.ts'
import type { Notification } from '../notification/notification.ts'
import { webPushBytes } from '../notification/webpush-render.ts'
import { PLATFORM } from '../platform.ts'

/** Apple: "Generating a remote notification"; Google: FCM messages; push services: RFC 8030, 7.2. */
const MAX_RENDERED_BYTES = 4096

const BYTES: Readonly<Record<Platform, (notification: Notification) => number>> = {
  0: apnsBytes,
  1: fcmBytes,
  2: (notification) => messageBytes(webPushBytes(notification)),
}

/** `null`: small enough for the gateways of all these platforms. `what`: default, the fields of a push. */
export function checkSize(notification: Notification, platforms: readonly Platform[], what?: string): Failure | null {
  for (const language of languagesOf(notification)) {
    const sent = inLanguage(notification, language)
    const sizes = platforms.flatMap((platform) => {
      const { gateway, provider } = PLATFORM[platform]
      const size = { gateway, bytes: BYTES[platform](sent) }
      if (provider !== 'fcm' || size.bytes > MAX_RENDERED_BYTES) return [size]
      // Any application may have iPhones behind FCM.
      const bytes = fcmIphoneBytes(sent)
      return bytes > MAX_RENDERED_BYTES ? [size, { gateway: 'iPhones behind FCM', bytes }] : [size]
    })
    if (sizes.every(({ bytes }) => bytes <= MAX_RENDERED_BYTES)) continue
    const given = sizes.map(({ gateway, bytes }) => `${bytes} bytes for ${gateway}`).join(', ')
    const problem = `are too large: ${given}; at most ${MAX_RENDERED_BYTES} are allowed.`
    return failure('InvalidArgument', `${what ?? sizedFields(notification, language)} ${problem}`)
  }
  return null
}
