import type { Environment } from '../../device/device.ts'
import type { ProviderName } from '../../platform.ts'

export interface ReceivedPush {
  readonly provider: ProviderName
  readonly environment: Environment | null
  /** Device token or endpoint; `''`: unreadable. */
  readonly token: string
  /** The apns-id, FCM's message name, or the push service's message URL; `null`: none. */
  readonly id: string | null
  /** `apns-push-type`. */
  readonly pushType: string | null
  /** The apns-topic, FCM project, or VAPID subject. */
  readonly target: string | null
  /** The apns-collapse-id, Android tag, or Topic: a later push replaces this one on the device. */
  readonly collapse: string | null
  /** Of APNs or RFC 8030; `{}` for FCM. */
  readonly headers: Readonly<Record<string, string>>
  /** `null`: unreadable. */
  readonly body: unknown
  /** `null`: no answer. */
  readonly status: number | null
  /** Apple's reason, Google's errorCode or status, or a push service's word; `null`: accepted. */
  readonly reason: string | null
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
      // Shifting the array for every request would cost more than the rest.
      if (kept.length >= 2 * remember) kept = remember > 0 ? kept.slice(-remember) : []
      for (const listener of listeners) listener(arrival)
    },
    listen(listener: (arrival: ReceivedPush) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
