import type { Platform } from '../../device/device.ts'

/** An event, from the database or the running server. */
export type TailEvent = {
  /** Ms since the Unix epoch. */
  readonly at: number
  readonly application: number
} & Happened

/** `push` is an id. Many of a kind at once are only counted. */
type Happened =
  | { readonly type: 'push.accepted'; readonly push: string; /** `null`: at once. */ readonly sendAt: number | null }
  | { readonly type: 'push.released' | 'push.started'; readonly push: string }
  | {
      readonly type: 'push.finished' | 'push.cancelled'
      readonly push: string
      readonly t: number
      readonly s: number
      readonly failed: number
    }
  | {
      readonly type: 'pushes.accepted' | 'devices.registered' | 'devices.gone' | 'notifications.received'
      readonly count: number
    }
  /** By the simulator. */
  | {
      readonly type: 'notification.received'
      readonly token: string
      readonly platform: Platform
      readonly title: string | null
      readonly text: string | null
      readonly badge: number | null
      /** The HTTP status; `null`: no answer. */
      readonly status: number | null
      /** `null`: accepted. */
      readonly reason: string | null
    }
  | { readonly type: 'pushes.finished'; readonly count: number; readonly s: number; readonly failed: number }
  | { readonly type: 'device.registered'; readonly token: string; readonly platform: Platform }
  | {
      readonly type: 'device.gone' | 'device.quarantined'
      readonly token: string
      readonly platform: Platform
      /** The gateway's own word. */
      readonly reason: string
    }
  /** `push`: `null` if the app didn't say which. */
  | { readonly type: 'opened'; readonly count: number; readonly push: string | null }
  | { readonly type: 'sending.paused'; readonly platform: Platform; readonly reason: string }
  | { readonly type: 'sending.resumed'; readonly platform: Platform }

/** Above this, a look only reports the number. */
export const MAX_AT_ONCE = 20
