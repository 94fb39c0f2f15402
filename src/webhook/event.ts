import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../clock.ts'
import type { Platform } from '../device/device.ts'
import { isoTime } from '../text/format.ts'
import type { ProviderName } from '../platform.ts'

/** What an application can hear of. */
export const EVENT_TYPES = [
  'push.finished',
  'push.opened',
  'device.gone',
  'credential.paused',
  'credential.resumed',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

/** What is sent where nobody says: not what comes as often as people tap. */
export const DEFAULT_EVENTS: readonly EventType[] = EVENT_TYPES.filter((type) => type !== 'push.opened')

/** An event with its `data` as it is on the wire. Times in it are ISO 8601, UTC. */
export type Event =
  | { readonly type: 'push.finished'; readonly data: PushFinished }
  | { readonly type: 'push.opened'; readonly data: PushOpened }
  | { readonly type: 'device.gone'; readonly data: DeviceGone }
  | { readonly type: 'credential.paused'; readonly data: CredentialPaused }
  | { readonly type: 'credential.resumed'; readonly data: CredentialResumed }

/** Every device that the push addressed has been answered for, on each platform that it went to. */
interface PushFinished {
  /** The UUID that the push was answered with. */
  readonly id: string
  /** Cancelled: the counts are those of what had gone out before. */
  readonly state: 'finished' | 'cancelled'
  /** Devices addressed. */
  readonly t: number
  /** Taken by the gateways. */
  readonly s: number
  readonly failed: number
  /** Why a gateway refused the push for everybody. Absent: none did. */
  readonly reason?: string
  /** Absent: the push was cancelled before anything went out. */
  readonly started_at?: string
  readonly finished_at: string
}

/** An app has reported that the push was opened, or answered by an action. */
export interface PushOpened {
  /** The UUID that the push was answered with. */
  readonly id: string
  readonly event: 'opened' | 'action'
  readonly platform: `${Platform}`
  /** The name of the action. Absent: it was an open. */
  readonly action?: string
  /** The device. Absent: the app has not named it, or there is none. */
  readonly token?: string
  /** Of a push with languages, and a device: the one that it gets; `null`: the push's own text. Else absent. */
  readonly language?: string | null
}

/** The device has left every audience and is in the feedback. Its next registration brings it back. */
interface DeviceGone {
  readonly token: string
  readonly platform: `${Platform}`
  /** The gateway's own word for it. */
  readonly reason: string
  readonly at: string
}

/** The gateway refuses the credential; its pushes wait. */
interface CredentialPaused {
  readonly provider: ProviderName
  readonly state: 'misconfigured'
  readonly reason: string
}

interface CredentialResumed {
  readonly provider: ProviderName
  readonly state: 'ready'
}

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
 * Milliseconds to wait after `tries` failed tries; `null` when there are to be no more. Up to a tenth longer at random,
 * so that what failed together does not come back together. `random` is in [0, 1). What the receiver asked for
 * (`askedMs`, `null`: nothing) is never shortened.
 */
export function waitMs(tries: number, random: number, askedMs: number | null): number | null {
  const wait = WAITS_MS[tries - 1]
  if (wait === undefined) return null
  return Math.max(Math.round(wait * (1 + random / 10)), askedMs ?? 0)
}
