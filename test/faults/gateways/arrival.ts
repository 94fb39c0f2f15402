import type { Platform } from '../stage/ledger.ts'

/** One notification that came to a gateway whole and in order. */
export interface Arrival {
  readonly gateway: 'apns' | 'fcm' | 'webpush'
  readonly token: string
  /** What a phone shows one instead of two by: the apns-collapse-id, or the tag of the notification. */
  readonly collapse: string | null
  /** `null` for others than APNs, which have none. */
  readonly apnsId: string | null
  /** The text: the number of the push, as the harness counts them. */
  readonly text: string | null
  /** `null`: it leaves the badge alone. */
  readonly badge: number | null
  /** Milliseconds since the Unix epoch, by the harness's clock. */
  readonly at: number
  /** Which process of the service sent it: 1 is the first. */
  readonly life: number
  /** Whether the gateway took it: a phone would show it. */
  taken: boolean
  /** When the last byte of an answer that says so, or says why not, was written; `null`: the sender cannot know. */
  answeredAt: number | null
}

/** Whose devices a gateway is for. */
export const PLATFORM_OF: Readonly<Record<Arrival['gateway'], Platform>> = { apns: 0, fcm: 1, webpush: 2 }
