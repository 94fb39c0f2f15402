import type { Environment, FcmPlatform } from '../device/device.ts'
import type { SubscriptionKeys } from '../device/webpush/subscription-keys.ts'
import type { RetryPolicy } from '../network/backoff.ts'
import type { Message } from '../notification/notification.ts'
import type { ProviderName } from '../platform.ts'

/** One device as the pool sees it: all a provider needs to address it. */
export interface Recipient {
  /** `device.id`. */
  readonly device: number
  readonly token: string
  /** The APNs environment known to take this token; `null` before the first answer. FCM has none. */
  readonly environment: Environment | null
  /** The badge to show, already computed for this device; `null` leaves the badge alone. */
  readonly badge: number | null
  /** Of what is sent to through FCM: an iPhone gets what APNs would. `null`, or absent: not said, so Android. */
  readonly fcmPlatform?: FcmPlatform | null
  /** Of a browser: what its messages are encrypted with. Others have none. */
  readonly keys?: SubscriptionKeys | null
}

/** What a gateway answered to one notification. Facts, not instructions: a `Lane` decides what follows. */
export type Outcome =
  /** The gateway took it (which is not the same as shown). `environment` is the APNs environment that did. */
  | { readonly kind: 'accepted'; readonly environment?: Environment }
  /** The app is gone from the device. `since`: ms since the Unix epoch the gateway has known it, `null` if it gave none. */
  | { readonly kind: 'unregistered'; readonly since: number | null; readonly reason: string }
  /**
   * Never to be sent again. `blame` says whose fault it is: the `token`; a `mismatch` of token and credential, which
   * may be either's (another topic, sender or environment); or the `push`, or anything else (the device stays). `certain`: of this
   * device alone, so that it says nothing of the credential, or of the push for others.
   */
  | {
      readonly kind: 'rejected'
      readonly blame: 'token' | 'mismatch' | 'push'
      readonly reason: string
      readonly certain?: true
    }
  /**
   * Not now. `afterMs`: the wait that the gateway asks for, `null` if it does not. `scope`: who waits: this device, all of
   * its push service (see `originOf`), or all that is sent with this credential; `either`: one answer does not tell, and a
   * `Breaker` decides.
   */
  | {
      readonly kind: 'deferred'
      readonly afterMs: number | null
      readonly scope: 'device' | 'service' | 'credential' | 'either'
      readonly reason: string
      /** The request itself broke: less at a time may help. */
      readonly strain?: true
    }
  /**
   * The credential is refused, so that nothing sent with it can arrive. Gateways say so of one device too, where only
   * that one is at fault. `certain`: no device had a part in it. `tries`: how often it is sent to such a device at the
   * most; default: until its time to live is over.
   */
  | { readonly kind: 'misconfigured'; readonly reason: string; readonly certain?: true; readonly tries?: number }

/** The reason of a failure that no gateway has a part in: the device was removed before it could be sent to. */
export const DEVICE_REMOVED = 'DeviceRemoved'

/** Who wants to know what became of a notification. One of the last two is called, once, perhaps before `send` returns. */
export interface OutcomeListener {
  /** Asked before a request that had to wait: for an access token, or for the answer of the other environment. */
  mayGo(): boolean
  /** For how long nothing may be sent to another gateway than the one of `Provider.originOf`, and why; `null`: it may. */
  restOf(origin: string): { readonly afterMs: number; readonly reason: string } | null
  /** `null`: the notification had to wait, might not go after that, and was not sent. */
  onOutcome(outcome: Outcome | null): void
  /** A bug, as an exception. */
  onFault(error: unknown): void
}

/** A gateway, with one credential. `send` never throws for what a gateway or a network can do. */
export interface Provider extends AsyncDisposable {
  readonly name: ProviderName
  /** How long one recipient waits after a passing fault. */
  readonly retry: RetryPolicy
  /** Sends one notification. Repeats of the same (push, device) carry the same apns-id, respectively tag. */
  send(message: Message, recipient: Recipient, listener: OutcomeListener): void
  /** The origin of the gateway that takes it for this recipient: several fail apart. */
  originOf(recipient: Recipient): string
  /** Whether recipients name their gateways, of which each may be another. Default: false. */
  readonly isOpen?: boolean
  /** Of how many usual requests one takes the processor time, on the thread that answers calls. Default 1. */
  readonly weight?: number
  /** Whether the gateway's quota leaves room for one more at `monotonic`, of the clock. Absent: always. */
  mayTake?(monotonic: number): boolean
  /** What is wrong with the way to the gateway, as part of a sentence about it; `null` for nothing. Absent: not known. */
  readonly trouble?: string | null
  /** Connections opened so far, as far as can be seen. */
  readonly connections?: number
}
