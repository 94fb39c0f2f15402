import type { Environment } from '../../device/device.ts'

/** A request that reached a gateway, and what it was told. */
export interface ReceivedPush {
  readonly provider: 'apns' | 'fcm'
  /** `null` for FCM, which has none. */
  readonly environment: Environment | null
  /** The device token; `''` when the request named none that can be read. */
  readonly token: string
  /** The apns-id, or the name FCM gave the message; `null` when the request was given none. */
  readonly id: string | null
  /** `apns-push-type`; `null` for FCM and when absent. */
  readonly pushType: string | null
  /** The apns-topic, or the FCM project. */
  readonly target: string | null
  /** The apns-collapse-id, or the tag of the Android notification: by it the phone shows one instead of two. */
  readonly collapse: string | null
  /** Headers of APNs; `{}` for FCM. */
  readonly headers: Readonly<Record<string, string>>
  /** The parsed JSON; `null` when it cannot be read. */
  readonly body: unknown
  /** The HTTP status; `null` when there was no answer: reset, dropped, silent. */
  readonly status: number | null
  /** Apple's reason, or Google's errorCode or status; `null` when accepted. */
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
      if (arrival.status === 200) accepted++
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
