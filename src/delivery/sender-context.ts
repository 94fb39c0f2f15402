import type { Platform } from '../device/device.ts'
import type { Log } from '../log.ts'
import type { ServiceClock } from '../time/service-clock.ts'
import type { DeviceFinding } from './open/batch.ts'
import type { SendBudget } from './send-budget.ts'
import type { BadgeRegistry } from './stored-badges.ts'
import type { DeliveryStore } from './store/delivery-store.ts'
import type { OpenDelivery } from './store/open-delivery.ts'

/** The registry of devices. What writes runs inside a transaction of the caller. */
export interface DeviceRegistry extends BadgeRegistry {
  /** Notes what an answer says of a device. */
  apply(finding: Exclude<DeviceFinding, { kind: 'refused' }>, now: number): void
  /**
   * Gives back some of the devices that a gateway refused before `before`, ms since the Unix epoch; whether there may be
   * more.
   */
  giveBack(application: number, platform: Platform, before: number): boolean
}

/** Events of deliveries, for webhooks; each runs inside the transaction that writes down what happened. */
export interface DeliveryEvents {
  /** One platform's part of a push is over. */
  pushFinished(delivery: Pick<OpenDelivery, 'push' | 'application'>, now: number): void
  credentialPaused(application: number, platform: Platform, reason: string, now: number): void
  /** A gateway has taken a notification, after a pause or for the first time since the start. */
  credentialResumed(application: number, platform: Platform, now: number): void
}

/** What all that one application sends to one platform has in common. */
export interface SenderContext {
  readonly application: number
  readonly platform: Platform
  readonly clock: ServiceClock
  readonly log: Log
  /** In [0, 1). */
  readonly random: () => number
  readonly store: DeliveryStore
  /** Writes until it succeeds: a full disk delays what is to be written, and loses none of it. */
  readonly persist: <T>(operation: () => T) => Promise<T>
  readonly registry: DeviceRegistry
  readonly events: DeliveryEvents
  /** `push.number` up to which everything is on disk. A push that is only committed may be lost, and be asked for again. */
  readonly lastOnDisk: () => number
  /** Whether nothing of the last run can be taken for what is leased now. */
  readonly mayLoad: () => boolean
  /** Shared by all senders. */
  readonly sendBudget: SendBudget
  /** Requests this sender may have in flight, of what all share. */
  readonly share: () => number
  /** Is told how long each answer took, in seconds. */
  readonly latency: { observe(seconds: number): void }
}
