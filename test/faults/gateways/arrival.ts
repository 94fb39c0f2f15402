import type { Platform } from '../stage/ledger.ts'

/** A complete and valid notification that reached a gateway. */
export interface Arrival {
  readonly gateway: 'apns' | 'fcm' | 'webpush'
  readonly token: string
  /** A phone shows one notification per value: the apns-collapse-id, or the tag. */
  readonly collapse: string | null
  /** `null`: another gateway than APNs. */
  readonly apnsId: string | null
  /** Identifies the push. */
  readonly text: string | null
  /** `null`: leaves the badge alone. */
  readonly badge: number | null
  /** Milliseconds since the Unix epoch, by the harness's clock. */
  readonly at: number
  /** The process of the service that sent it, counted from 1. */
  readonly life: number
  /** Whether a phone would show it. */
  taken: boolean
  /** When the answer was complete; `null`: the sender cannot know the outcome. */
  answeredAt: number | null
}

export const PLATFORM_OF: Readonly<Record<Arrival['gateway'], Platform>> = { apns: 0, fcm: 1, webpush: 2 }
