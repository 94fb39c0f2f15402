import type { Environment } from '../../device/device.ts'
import type { ProviderName } from '../../platform.ts'

export interface ReceivedPush {
  readonly provider: ProviderName
  readonly environment: Environment | null
  /** The device token or endpoint; `''`: none can be read. */
  readonly token: string
  /** The apns-id, FCM's name of the message, or a push service's address of it; `null`: none. */
  readonly id: string | null
  /** `apns-push-type`; `null`: another gateway, or absent. */
  readonly pushType: string | null
  /** The apns-topic, the FCM project, or the subject of the VAPID token. */
  readonly target: string | null
  /** The apns-collapse-id, the tag of the Android notification, or the Topic: a later one replaces it on the device. */
  readonly collapse: string | null
  /** Headers of APNs or RFC 8030; `{}` for FCM. */
  readonly headers: Readonly<Record<string, string>>
  /** The parsed JSON; `null`: unreadable. */
  readonly body: unknown
  /** The HTTP status; `null`: no answer. */
  readonly status: number | null
  /** Apple's reason, Google's errorCode or status, or a push service's word; `null`: accepted. */
  readonly reason: string | null
  /** Milliseconds since the Unix epoch. */
  readonly at: number
}

export function createReceivedPushes(remember: number) {
  let kept: ReceivedPush[] = []
  let accepted = 0
  let refused = 0
  const listeners = new Set<(arrival: ReceivedPush) => void>()
  return {
    list: (): readonly ReceivedPush[] => (remember > 0 ? kept.slice(-remember) : []),
    /** Since the start, remembered or not. */
    counts: () => ({ accepted, refused }),
    add(arrival: ReceivedPush): void {
      if (arrival.reason === null && (arrival.status === 200 || arrival.status === 201)) accepted++
      else refused++
      kept.push(arrival)
      // Cut in halves: shifting an array for every request would cost more than the rest of it.
      if (kept.length >= 2 * remember) kept = remember > 0 ? kept.slice(-remember) : []
      for (const listener of listeners) listener(arrival)
    },
    listen(listener: (arrival: ReceivedPush) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
