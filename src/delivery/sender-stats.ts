import type { Platform } from '../device/device.ts'
import type { WaitReason } from './wait.ts'

/** Answers since the start, one for each send: a notification that is deferred and accepted later counts twice. */
export interface OutcomeCounts extends Record<'accepted' | 'gone' | 'rejected' | 'deferred' | 'misconfigured', number> {
  expired: number
}

/** What monitoring shows of one application's sending to one platform. Times are ms since the Unix epoch. */
export interface SenderStats {
  readonly application: number
  readonly platform: Platform
  readonly state: 'ready' | Extract<WaitReason, 'no-credential' | 'misconfigured' | 'unreachable'>
  readonly reason: string | null
  readonly inFlight: number
  /** Unfinished pushes, and their recipients that are still to be sent to, as far as counted. */
  readonly open: number
  readonly recipients: number
  readonly outcomes: Readonly<OutcomeCounts>
  readonly pausedServices: readonly { readonly service: string; readonly reason: string }[]
  readonly connections: number
  /** Since when the push that has waited longest could have been sent; `null`: none could, or it is paused. */
  readonly dueSince: number | null
  /** Since when nothing has been answered although something could be sent; `null` if nothing could. */
  readonly stillSince: number | null
}
