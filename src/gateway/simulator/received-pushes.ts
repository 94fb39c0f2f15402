import type { Environment } from '../../device/device.ts'
import type { ProviderName } from '../../platform.ts'

/** A request that reached a gateway, and what it was told. */
export interface ReceivedPush {
  readonly provider: ProviderName
  /** Of APNs; others have none. */
  readonly environment: Environment | null
  /** The device token, or the endpoint; `''` when the request named none that can be read. */
  readonly token: string
  /** The apns-id, the name FCM gave the message, or the address a push service gave it; `null` when the request was given none. */
  readonly id: string | null
  /** `apns-push-type`; `null` for others and when absent. */
  readonly pushType: string | null
  /** The apns-topic, the FCM project, or the subject of the VAPID token. */
  readonly target: string | null
  /** The apns-collapse-id, or the tag of the Android notification: by it the phone shows one instead of two. Or the Topic. */
  readonly collapse: string | null
  /** Headers of APNs, or of RFC 8030; `{}` for FCM. */
  readonly headers: Readonly<Record<string, string>>
  /** The parsed JSON; `null` when it cannot be read. */
  readonly body: unknown
  /** The HTTP status; `null` when there was no answer: reset, dropped, silent. */
  readonly status: number | null
  /** Apple's reason, Google's errorCode or status, or a push service's own word; `null` when accepted. */
  readonly reason: string | null
  /** Milliseconds since the Unix epoch. */
  readonly at: number
}

export interface ReceivedPushes {
  /** The newest last. */
  list(): readonly ReceivedPush[]
  /** Accepted and not accepted since the start, remembered or not. */
  counts(): { readonly accepted: number; readonly refused: number }
  add(arrival: ReceivedPush): void
  /** Calls `listener` for every arrival from now on; the returned function stops it. */
  listen(listener: (arrival: ReceivedPush) => void): () => void
}

/** Keeps the newest `remember` arrivals. */
export function createReceivedPushes(remember: number): ReceivedPushes {
  let kept: ReceivedPush[] = []
  let accepted = 0
  let refused = 0
  const listeners = new Set<(arrival: ReceivedPush) => void>()
  return {
    list: () => (remember > 0 ? kept.slice(-remember) : []),
    counts: () => ({ accepted, refused }),
    add(arrival) {
      if (arrival.reason === null && (arrival.status === 200 || arrival.status === 201)) accepted++
      else refused++
      kept.push(arrival)
      // Cut in halves, not one by one: shifting an array on every request would cost more than the rest of it.
      if (kept.length >= 2 * remember) kept = remember > 0 ? kept.slice(-remember) : []
      for (const listener of listeners) listener(arrival)
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
