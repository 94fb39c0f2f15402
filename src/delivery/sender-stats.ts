import type { Platform } from '../device/device.ts'
import type { Delivery } from './open/delivery.ts'
import type { WindowState } from './lane/congestion-window.ts'
import type { OutcomeCounters } from './outcome-counters.ts'

/** One of several gateways of a credential that nothing is sent to for a while. */
export interface PausedService {
  /** Its origin. */
  readonly service: string
  readonly reason: string
}

/** What an operator may want to know of a credential. */
export interface SenderState {
  readonly application: number
  readonly platform: Platform
  readonly state: WindowState | 'no-credential'
  readonly reason: string | null
  readonly inFlight: number
  /** Pushes that are not finished, as far as they are in memory. */
  readonly open: number
}

/** The same in numbers, for who watches it. Times are ms since the Unix epoch. */
export interface SenderStats extends SenderState, BacklogStats {
  readonly outcomes: OutcomeCounters
  /** Where the credential is for several gateways: those that nothing is sent to now. */
  readonly pausedServices: readonly PausedService[]
  /** Connections opened with this credential since it was loaded, as far as can be seen. */
  readonly connections: number
  /** Since when nothing has been answered although something could be sent; `null` where nothing could. */
  readonly stillSince: number | null
}

interface BacklogStats {
  /** Recipients of these pushes who are still to be sent to, as far as they are counted. */
  readonly recipients: number
  /** Since when the push that has waited longest could have been sent; `null`: none could, or it is paused. */
  readonly dueSince: number | null
}

/** What waits in deliveries of which the credential is not paused. Here times are service time. */
export function backlogStats(deliveries: readonly ReturnType<Delivery['summary']>[]): BacklogStats {
  let recipients = 0
  let dueSince: number | null = null
  for (const delivery of deliveries) {
    recipients += delivery.recipients
    if (delivery.dueSince !== null) dueSince = Math.min(delivery.dueSince, dueSince ?? delivery.dueSince)
  }
  return { recipients, dueSince }
}
