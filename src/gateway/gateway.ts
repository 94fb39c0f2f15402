import type { Environment, FcmPlatform } from '../device/device.ts'
import type { SubscriptionKeys } from '../device/webpush/subscription-keys.ts'
import type { RetryPolicy } from '../network/backoff.ts'
import type { Message } from '../notification/notification.ts'
import type { ProviderName } from '../platform.ts'

export interface Recipient {
  /** `device.id`. */
  readonly device: number
  readonly token: string
  /** The APNs environment known to take this token; `null` before the first answer. FCM has none. */
  readonly environment: Environment | null
  /** The badge to show, already computed for this device; `null` leaves the badge alone. */
  readonly badge: number | null
  /** `'ios'`: an iPhone behind FCM, which gets what APNs would send. `null` or absent: not known, so Android. */
  readonly fcmPlatform?: FcmPlatform | null
  /** A browser's encryption keys; phones have none. */
  readonly keys?: SubscriptionKeys | null
}

/** What a gateway answered to one notification. Facts, not instructions: a `Lane` decides what follows. */
export type Outcome =
  /** The gateway took it (which is not the same as shown). `environment` is the APNs environment that did. */
  | { readonly kind: 'accepted'; readonly environment?: Environment }
  /** The app is gone from the device. `since`: ms since the Unix epoch the gateway has known it, `null` if it gave none. */
  | { readonly kind: 'unregistered'; readonly since: number | null; readonly reason: string }
  /**
   * Don't send it again. `blame`: the `token`; a `mismatch` of token and credential, where either may be wrong (topic,
   * sender or environment); or the `push`, and everything else (the device stays). `certain`: true of this device
   * alone; it says nothing about the credential, or about the push for others.
   */
  | {
      readonly kind: 'rejected'
      readonly blame: 'token' | 'mismatch' | 'push'
      readonly reason: string
      readonly certain?: true
    }
  /**
   * Try later. `afterMs`: the wait that the gateway asks for, or `null`. `scope`: who waits: this device, its whole
   * push service (see `originOf`), or everything sent with this credential. `either`: one answer can't tell; a
   * `Breaker` decides.
   */
  | {
      readonly kind: 'deferred'
      readonly afterMs: number | null
      readonly scope: 'device' | 'service' | 'credential' | 'either'
      readonly reason: string
      /** The request itself failed: sending less at a time may help. */
      readonly strain?: true
    }
  /**
   * The credential is refused. Gateways also answer so when only one device is at fault. `certain`: the device has no
   * part in it. `tries`: how often a device that is answered so is tried. Default: until its time to live ends.
   */
  | { readonly kind: 'misconfigured'; readonly reason: string; readonly certain?: true; readonly tries?: number }

/** The reason of a failure without a gateway: the device was removed before it could be sent to. */
export const DEVICE_REMOVED = 'DeviceRemoved'

/** Hears the result of one notification: one of the last two is called, once, perhaps before `send` returns. */
export interface OutcomeListener {
  /** Asked before a request that waited for an access token, or for the other environment's answer. */
  mayGo(): boolean
  /** How long to leave another gateway than `Provider.originOf` alone, and why; `null`: it may be used. */
  restOf(origin: string): { readonly afterMs: number; readonly reason: string } | null
  onOutcome(outcome: Outcome | null): void
  onFault(error: unknown): void
}

export interface Addressed {
  readonly message: Message
  readonly recipient: Recipient
  readonly listener: OutcomeListener
}

/** A gateway, with one credential. `send` never throws for what a gateway or a network can do. */
export interface Provider extends AsyncDisposable {
  readonly name: ProviderName
  readonly retry: RetryPolicy
  /** Sends one notification. Repeats of the same (push, device) carry the same apns-id, respectively tag. */
  send(message: Message, recipient: Recipient, listener: OutcomeListener): void
  /** The origin of the recipient's gateway. Gateways fail separately. */
  originOf(recipient: Recipient): string
  /** Whether recipients name their own gateways. Default false. */
  readonly isOpen?: boolean
  /** CPU time of one request on the main thread, in usual requests. Default 1. */
  readonly weight?: number
  /** Whether the gateway's quota leaves room for one more at `monotonic`, of the clock. Absent: always. */
  mayTake?(monotonic: number): boolean
  /** What is wrong with the connection, as part of a sentence; `null`: nothing. Absent: not known. */
  readonly trouble?: string | null
  readonly connections?: number
}
