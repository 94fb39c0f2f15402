import type { Platform } from '../../device/device.ts'

export type TailEvent = {
  /** Ms since the Unix epoch. */
  readonly at: number
  readonly application: number
} & Happened

/** `push` is an ID. */
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
  | {
      readonly type: 'notification.received'
      readonly token: string
      readonly platform: Platform
      readonly title: string | null
      readonly text: string | null
      readonly badge: number | null
      /** HTTP; `null`: no answer. */
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
      readonly reason: string
    }
  /** `push` null: the app didn't say. */
  | { readonly type: 'opened'; readonly count: number; readonly push: string | null }
  | { readonly type: 'sending.paused'; readonly platform: Platform; readonly reason: string }
  | { readonly type: 'sending.resumed'; readonly platform: Platform }

/** More events of a kind at one look are only counted. */
export const MAX_AT_ONCE = 20
