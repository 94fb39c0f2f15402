import type { Platform } from '../device/device.ts'
import { failure, Refused } from '../failure.ts'
import { sizedFields } from './notification.ts'
import type { Notification } from './notification.ts'

/** Apple: "Generating a remote notification"; Google: FCM messages. Both 4096 bytes. */
const MAX_RENDERED_BYTES = 4096

const GATEWAY: Readonly<Record<Platform, string>> = { 0: 'APNs', 1: 'FCM' }

/** Throws `Refused` for a notification that is too large for the gateway of one of these platforms. */
export type CheckSize = (notification: Notification, platforms: readonly Platform[]) => void

/** `sizeOf`: bytes of the notification as the gateway of each platform would get it. */
export function createSizeCheck(sizeOf: Readonly<Record<Platform, (notification: Notification) => number>>): CheckSize {
  return (notification, platforms) => {
    const sizes = platforms.map((platform) => ({ platform, bytes: sizeOf[platform](notification) }))
    if (sizes.every(({ bytes }) => bytes <= MAX_RENDERED_BYTES)) return
    const given = sizes.map(({ platform, bytes }) => `${bytes} bytes for ${GATEWAY[platform]}`).join(', ')
    throw new Refused(
      failure(
        'InvalidArgument',
        `${sizedFields(notification)} are too large: ${given}; at most ${MAX_RENDERED_BYTES} are allowed.`,
      ),
    )
  }
}
