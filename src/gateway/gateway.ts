import type { Environment, FcmPlatform } from '../device/device.ts'
import type { SubscriptionKeys } from '../device/webpush/subscription-keys.ts'
import type { RetryPolicy } from '../network/backoff.ts'
import type { Message } from '../notification/notification.ts'
import type { ProviderName } from '../platform.ts'

export interface Recipient {
  /** `device.id`. */
  readonly device: number
  readonly token: string
  /** The APNs environment that accepts this token; `null`: unknown, or not APNs. */
  readonly environment: Environment | null
  /** `null` leaves the badge alone. */
  readonly badge: number | null
  /** `'ios'`: an iPhone behind FCM, which gets what APNs would send. `null` or absent: unknown, so Android. */
  readonly fcmPlatform?: FcmPlatform | null
  readonly keys?: SubscriptionKeys | null
}

/** Facts, not instructions: a `Lane` decides what follows. */
export type Outcome =
  /** Accepted, which does not mean shown. `environment`: for APNs. */
  | { readonly kind: 'accepted'; readonly environment?: Environment }
  /** The app was removed. `since`: when the gateway noticed; `null`: unknown. */
  | { readonly kind: 'unregistered'; readonly since: number | null; readonly reason: string }
  /**
   * Don't retry. `blame`: the `token`; a `mismatch` of token and credential, where either may be wrong (topic, sender
   * or environment); or the `push` and everything else (the device stays). `certain`: concerns this device alone, not
   * the credential, nor the push for others.
   */
  | {
      readonly kind: 'rejected'
      readonly blame: 'token' | 'mismatch' | 'push'
      readonly reason: string
      readonly certain?: true
    }
  /**
   * Retry later. `afterMs`: the wait that the gateway asks for. `scope`: who waits: this device, its push service (see
   * `originOf`), or everything with this credential. `either`: one answer can't tell; a `Breaker` decides.
   */
  | {
      readonly kind: 'deferred'
      readonly afterMs: number | null
      readonly scope: 'device' | 'service' | 'credential' | 'either'
      readonly reason: string
      /** Sending fewer at a time may help. */
      readonly strain?: true
    }
  /**
   * The credential is refused, though gateways also say so of a single device. `certain`: no device is at fault.
   * `tries`: attempts per device. Default: until its time to live ends.
   */
  | { readonly kind: 'misconfigured'; readonly reason: string; readonly certain?: true; readonly tries?: number }

/** The device was removed before sending. */
export const DEVICE_REMOVED = 'DeviceRemoved'

/** Either `onOutcome` or `onFault` is called, once, perhaps before `send` returns. */
export interface OutcomeListener {
  /** Asked before a request that waited for an access token or the other environment. */
  mayGo(): boolean
  /** How long to avoid another gateway than `Provider.originOf`, and why; `null`: it may be used. */
  restOf(origin: string): { readonly afterMs: number; readonly reason: string } | null
  onOutcome(outcome: Outcome | null): void
  onFault(error: unknown): void
}

export interface Addressed {
  readonly message: Message
  readonly recipient: Recipient
  readonly listener: OutcomeListener
}

/** A gateway with one credential. `send` never throws over gateway or network failures. */
export interface Provider extends AsyncDisposable {
  readonly name: ProviderName
  readonly retry: RetryPolicy
  /** A repeat carries the same apns-id or tag. Renders a push once per `Message` object. */
  send(message: Message, recipient: Recipient, listener: OutcomeListener): void
  /** The origin of the recipient's gateway. Each fails separately. */
  originOf(recipient: Recipient): string
  /** Whether recipients name their own gateways. Default false. */
  readonly isOpen?: boolean
  /** CPU time per request on the main thread, relative to usual requests. Default 1. */
  readonly weight?: number
  /** Whether the gateway's quota has room at `monotonic`. Absent: always. */
  mayTake?(monotonic: number): boolean
  /** What is wrong with the connection, as part of a sentence; `null`: nothing. Absent: unknown. */
  readonly trouble?: string | null
  readonly connections?: number
}
