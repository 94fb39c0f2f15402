import type { Platform } from '../device/device.ts'
import type { WaitReason } from './wait.ts'

/** Answers since the start: a notification deferred and then accepted counts twice. */
export interface OutcomeCounts extends Record<'accepted' | 'gone' | 'rejected' | 'deferred' | 'misconfigured', number> {
  expired: number
}

/** For monitoring. Times are ms since the Unix epoch. */
export interface SenderStats {
  readonly application: number
  readonly platform: Platform
  readonly state: 'ready' | Extract<WaitReason, 'no-credential' | 'misconfigured' | 'unreachable'>
  readonly reason: string | null
  readonly inFlight: number
  /** Unfinished pushes, and their recipients still to be sent to, as far as counted. */
  readonly open: number
  readonly recipients: number
  readonly outcomes: Readonly<OutcomeCounts>
  readonly pausedServices: readonly { readonly service: string; readonly reason: string }[]
  readonly connections: number
  /** Since when the longest-waiting push could have been sent; `null`: none could, or sending is paused. */
  readonly dueSince: number | null
  /** Since when nothing was answered although something could be sent. */
  readonly stillSince: number | null
}

/** What was sent and is not on disk: the next start sends it again. */
export interface Unwritten {
  readonly notifications: number
  readonly pushes: number
}

/** Of all senders: a push may be there once for each platform. */
export function unwrittenOf(all: readonly (readonly [push: string, notifications: number])[]): Unwritten {
  const sent = all.filter(([, count]) => count > 0)
  const notifications = sent.reduce((sum, [, count]) => sum + count, 0)
  return { notifications, pushes: new Set(sent.map(([push]) => push)).size }
}
