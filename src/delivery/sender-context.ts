import type { DeviceStore } from '../device/device-store.ts'
import type { Platform } from '../device/device.ts'
import type { Log } from '../log.ts'
import type { ServiceClock } from '../time/service-clock.ts'
import type { EventStore } from '../webhook/event-store.ts'
import type { Persist } from './persist.ts'
import type { SendBudget } from './send-budget.ts'
import type { OutcomeCounts } from './sender-stats.ts'
import type { DeliveryStore } from './store/delivery-store.ts'
import type { OpenDelivery } from './store/open-delivery.ts'
import type { DeviceFinding } from './verdict.ts'

/** Runs in the caller's transactions. `now`: ms since the Unix epoch. */
export interface DeviceRegistry extends Pick<DeviceStore, 'giveBack' | 'changeBadges'> {
  apply(finding: Exclude<DeviceFinding, { kind: 'refused' }>, now: number): void
}

/** In the transaction that stores what happened. `now`: ms since the Unix epoch. */
export interface DeliveryEvents extends Pick<EventStore, 'credentialPaused' | 'credentialResumed'> {
  pushFinished(delivery: Pick<OpenDelivery, 'push' | 'application'>, now: number): void
}

export interface SenderContext {
  readonly application: number
  readonly platform: Platform
  /** In this room every time is service time, unless its comment says otherwise. */
  readonly clock: ServiceClock
  readonly log: Log
  /** In [0, 1). */
  readonly random: () => number
  readonly store: DeliveryStore
  readonly persist: Persist
  readonly registry: DeviceRegistry
  readonly events: DeliveryEvents
  /** `push.number` up to which all are on disk. Later ones may be lost, and sent again by the caller. */
  readonly lastOnDisk: () => number
  /** `false` until the last run's leases have ended: new ones could not be told from them. */
  readonly mayLoad: () => boolean
  readonly sendBudget: SendBudget
  readonly share: () => number
  readonly outcomes: OutcomeCounts
  /** Seconds that an answer took. */
  readonly latency: { observe(seconds: number): void }
}
