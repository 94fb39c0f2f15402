import type { BadgeChange } from '../device/badge.ts'
import type { Platform } from '../device/device.ts'
import type { Log } from '../log.ts'
import type { ServiceClock } from '../time/service-clock.ts'
import type { SendBudget } from './send-budget.ts'
import type { DeliveryStore } from './store/delivery-store.ts'
import type { OpenDelivery } from './store/open-delivery.ts'
import type { DeviceFinding } from './verdict.ts'

/** The registry of devices; runs in transactions of the caller. Times are ms since the Unix epoch. */
export interface DeviceRegistry {
  apply(finding: Exclude<DeviceFinding, { kind: 'refused' }>, now: number): void
  /** Gives back some devices that a gateway refused before `before`; returns whether there may be more. */
  giveBack(application: number, platform: Platform, before: number): boolean
  /** Changes badges; returns the new ones by `device.id`, without those that stay the same. */
  changeBadges(devices: readonly number[], change: BadgeChange): ReadonlyMap<number, number>
}

/** Events for webhooks, in the transaction that stores what happened. Times are ms since the Unix epoch. */
export interface DeliveryEvents {
  /** One platform's part of a push has ended. */
  pushFinished(delivery: Pick<OpenDelivery, 'push' | 'application'>, now: number): void
  credentialPaused(application: number, platform: Platform, reason: string, now: number): void
  /** Something was accepted, after a pause or for the first time since the start. */
  credentialResumed(application: number, platform: Platform, now: number): void
}

/** What everything has in common that one application sends to one platform. */
export interface SenderContext {
  readonly application: number
  readonly platform: Platform
  readonly clock: ServiceClock
  /** Adds the application and the platform to each line. */
  readonly log: Log
  /** In [0, 1). */
  readonly random: () => number
  readonly store: DeliveryStore
  /** Writes until it succeeds: a full disk delays writes and loses none. */
  readonly persist: <T>(operation: () => T) => Promise<T>
  readonly registry: DeviceRegistry
  readonly events: DeliveryEvents
  /** `push.number` up to which all are on disk. A push that is not may be lost, and the caller sends it again. */
  readonly lastOnDisk: () => number
  /** Whether the leases of the last run have ended: until then, new ones could not be told from them. */
  readonly mayLoad: () => boolean
  /** Shared by all senders. */
  readonly sendBudget: SendBudget
  /** Requests this sender may have in flight, of those that all share. */
  readonly share: () => number
  /** Seconds that an answer took. */
  readonly latency: { observe(seconds: number): void }
}
