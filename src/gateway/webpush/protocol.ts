import type { Outcome } from '../gateway.ts'
import { MINUTE_MS, SECOND_MS } from '../../clock.ts'
import type { RetryPolicy } from '../../network/backoff.ts'

/* What RFC 8030 (5, 8.4) and RFC 8292 (4.2) say of the answers of push services, without the sending. */

/** An answer of a push service. */
export interface WebPushAnswer {
  readonly status: number
  readonly body: string
  /** `null`: there was none. */
  readonly contentType: string | null
  /** What a Retry-After asked for, in ms; `null` if there was none. */
  readonly retryAfterMs: number | null
}

/** What an answer means. */
export function judgeWebPush({ status, body, contentType, retryAfterMs }: WebPushAnswer): Outcome {
  const reason = `HTTP ${status}`
  if (ANOTHER_KEY[status]?.test(body) === true) {
    return { kind: 'rejected', blame: 'mismatch', reason: `${reason}: subscribed with another VAPID key` }
  }
  // "201 (Created)", with a Location that nobody follows here, or "202 (Accepted)"; some services have the other two.
  if (status === 200 || status === 201 || status === 202 || status === 204) {
    if (contentType?.startsWith('text/html') !== true) return { kind: 'accepted' }
    return { kind: 'deferred', afterMs: retryAfterMs, scope: 'device', reason: `${reason} with a web page` }
  }
  if (status === 404 || status === 410) return { kind: 'unregistered', since: null, reason }
  if (status === 401 || status === 403) return { kind: 'misconfigured', reason }
  // Who says when to come back speaks of everything; else it may be this subscription that is sent to too often.
  if ((status === 429 || status === 503) && retryAfterMs !== null) {
    return { kind: 'deferred', afterMs: retryAfterMs, scope: 'service', reason }
  }
  if (status === 429 || status >= 500) {
    return { kind: 'deferred', afterMs: retryAfterMs, scope: 'device', reason, strain: true }
  }
  // Also a redirect: something that is no push service answers.
  if (status === 408 || status < 400) return { kind: 'deferred', afterMs: retryAfterMs, scope: 'device', reason }
  return { kind: 'rejected', blame: 'push', reason }
}

/**
 * How long one browser waits after a passing fault: half of it at the least. RFC 8030 names no figure. A push service that
 * is overloaded is spared by its window (delivery/credential/service-lanes.ts), so one browser need not wait for long.
 */
export const WEBPUSH_RETRY: RetryPolicy = { firstMs: 2 * SECOND_MS, longestMs: 30 * MINUTE_MS }
/** How the push services say by status that a subscription was made with another VAPID key. */
const ANOTHER_KEY: Readonly<Record<number, RegExp>> = {
  // Apple's reason.
  400: /"VapidPkHashMismatch"/,
  // Mozilla's errno (autopush-rs, autoendpoint/src/error.rs).
  401: /"errno":\s*109\b/,
  // Google's sentence.
  403: /VAPID credentials .* do not correspond/i,
}
