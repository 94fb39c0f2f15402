import { MINUTE_MS, SECOND_MS } from '../clock.ts'
import type { Provider } from '../gateway/gateway.ts'
import type { RetryPolicy } from '../network/backoff.ts'

/**
 * How long one recipient waits after a passing fault: half of it at the least. Google asks for 10 s or more
 * (firebase.google.com/docs/cloud-messaging/scale-fcm), and has most browsers; Apple names no figure.
 */
export const RECIPIENT_RETRY: Readonly<Record<Provider['name'], RetryPolicy>> = {
  apns: { firstMs: 2 * SECOND_MS, longestMs: 30 * MINUTE_MS },
  fcm: { firstMs: 20 * SECOND_MS, longestMs: 30 * MINUTE_MS },
  webpush: { firstMs: 20 * SECOND_MS, longestMs: 30 * MINUTE_MS },
}

/** How long a whole credential waits: its gateway cannot be reached, or asked for a pause without saying how long. */
export const GATEWAY_RETRY: RetryPolicy = { firstMs: 1 * SECOND_MS, longestMs: 1 * MINUTE_MS }

/** How long a misconfigured credential waits before one notification is tried again, unless it is replaced before. */
export const MISCONFIGURED_RETRY: RetryPolicy = { firstMs: 30 * SECOND_MS, longestMs: 10 * MINUTE_MS }

/** How long a credential waits that was good and has only refused tokens now: another device may show it to be good. */
export const REFUSALS_RETRY: RetryPolicy = { firstMs: 2 * SECOND_MS, longestMs: 10 * MINUTE_MS }
