import type { PausedService } from './credential/service-lanes.ts'
import type { Platform } from '../device/device.ts'
import type { Provider } from '../gateway/gateway.ts'
import type { ActiveDelivery } from './active-delivery.ts'
import type { WindowState } from './credential/congestion-window.ts'
import type { OutcomeCounters } from './outcome-counters.ts'

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

/** `health`: as the answers have it. Trouble on the way to the gateway outlasts a pause. */
export function senderStateOf(
  provider: Pick<Provider, 'trouble'> | null,
  health: { readonly state: WindowState; readonly reason: string | null },
): Pick<SenderState, 'state' | 'reason'> {
  const { state, reason } = health
  if (provider === null) return { state: 'no-credential', reason }
  const trouble = state === 'ready' ? (provider.trouble ?? null) : null
  return trouble === null ? { state, reason } : { state: 'unreachable', reason: trouble }
}

type Waiting = Pick<ActiveDelivery, 'unreached' | 'retries' | 'dueSince'>

/** What waits in a backlog whose credential is not paused. Here times are service time. */
export function backlogStats(deliveries: readonly Waiting[], now: number): BacklogStats {
  let recipients = 0
  let dueSince: number | null = null
  for (const delivery of deliveries) {
    recipients += delivery.unreached + delivery.retries
    const since = delivery.dueSince(now)
    if (since !== null) dueSince = Math.min(since, dueSince ?? since)
  }
  return { recipients, dueSince }
}
