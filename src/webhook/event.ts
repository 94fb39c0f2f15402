import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../clock.ts'
import type { AnswerOf } from '../http/answer-schema.ts'
import { isoTime } from '../text/format.ts'
import { EVENTS } from './event-schema.ts'

export type EventType = keyof typeof EVENTS

export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[]

/** `push.opened` comes as often as people tap. */
export const DEFAULT_EVENTS: readonly EventType[] = EVENT_TYPES.filter((type) => type !== 'push.opened')

type DataOf<T extends EventType> = AnswerOf<(typeof EVENTS)[T]['data']>

export type Event = { [T in EventType]: { readonly type: T; readonly data: DataOf<T> } }[EventType]

export type PushOpened = DataOf<'push.opened'>

/** Signed and sent (Standard Webhooks, "Payload structure"). */
export function eventBodyOf({ type, data }: { readonly type: string; readonly data: object }, at: number): string {
  return JSON.stringify({ type, timestamp: isoTime(at), data })
}

/** Waits after the first, second, … try: the example schedule of Standard Webhooks. */
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
 * Ms to wait after `tries` failures; `null`: give up. Adds up to a tenth at random to spread events that failed
 * together. `random`: in [0, 1). `askedMs`: lower bound set by the receiver.
 */
export function waitMs(tries: number, random: number, askedMs: number | null): number | null {
  const wait = WAITS_MS[tries - 1]
  if (wait === undefined) return null
  return Math.max(Math.round(wait * (1 + random / 10)), askedMs ?? 0)
}
