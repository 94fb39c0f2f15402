import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../clock.ts'
import type { Platform } from '../device/device.ts'
import { isoTime } from '../text/format.ts'
import type { ProviderName } from '../platform.ts'

/** The `data` of each event as it is on the wire; `event-schema.ts` describes it. Times are ISO 8601, UTC. */
interface EventData {
  readonly 'push.finished': {
    readonly id: string
    readonly state: 'finished' | 'cancelled'
    readonly t: number
    readonly s: number
    readonly failed: number
    readonly reason?: string
    readonly started_at?: string
    readonly finished_at: string
  }
  readonly 'push.opened': {
    readonly id: string
    readonly event: 'opened' | 'action'
    readonly platform: `${Platform}`
    readonly action?: string
    readonly token?: string
    readonly language?: string | null
  }
  readonly 'device.gone': {
    readonly token: string
    readonly platform: `${Platform}`
    readonly reason: string
    readonly at: string
  }
  readonly 'credential.paused': {
    readonly provider: ProviderName
    readonly state: 'misconfigured'
    readonly reason: string
  }
  readonly 'credential.resumed': { readonly provider: ProviderName; readonly state: 'ready' }
}

export type EventType = keyof EventData

export type Event = {
  [Type in EventType]: { readonly type: Type; readonly data: EventData[Type] }
}[EventType]

export type PushOpened = EventData['push.opened']

export const EVENT_TYPES = [
  'push.finished',
  'push.opened',
  'device.gone',
  'credential.paused',
  'credential.resumed',
] as const satisfies readonly EventType[]

/** All but the one that comes as often as people tap. */
export const DEFAULT_EVENTS: readonly EventType[] = EVENT_TYPES.filter((type) => type !== 'push.opened')

/** The body that is signed and sent (Standard Webhooks, "Payload structure"). `at` is ms since the Unix epoch. */
export function eventBodyOf({ type, data }: Event, at: number): string {
  return JSON.stringify({ type, timestamp: isoTime(at), data })
}

/** Waits after the first try, the second, and so on: the schedule that Standard Webhooks gives as its example. */
const WAITS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
]

/**
 * Milliseconds to wait after `tries` failed tries; `null`: give up. Up to a tenth longer at random, so that events that
 * failed together do not come back together. `random`: in [0, 1). `askedMs`: a lower bound that the receiver asks for.
 */
export function waitMs(tries: number, random: number, askedMs: number | null): number | null {
  const wait = WAITS_MS[tries - 1]
  if (wait === undefined) return null
  return Math.max(Math.round(wait * (1 + random / 10)), askedMs ?? 0)
}
