import type { Platform } from '../../device/device.ts'

export type TailEvent = {
  readonly at: number
  readonly application: number
} & Happened

/** `push` is an ID. */
type Happened =
  | { readonly type: 'push.accepted'; readonly push: string; /** `null`: at once. */ readonly sendAt: number | null }
  | { readonly type: 'push.released' | 'push.started'; readonly push: string }
  | {
      readonly type: 'push.finished' | 'push.cancelled'
      readonly push: string
      readonly t: number
      readonly s: number
      readonly failed: number
    }
  | Counting
  | {
      readonly type: 'notification.received'
      readonly token: string
      readonly platform: Platform
      readonly title: string | null
      readonly text: string | null
      readonly badge: number | null
      /** HTTP; `null`: no answer. */
      readonly status: number | null
      /** `null`: accepted. */
      readonly reason: string | null
    }
  | { readonly type: 'device.registered'; readonly token: string; readonly platform: Platform }
  | {
      readonly type: 'device.gone' | 'device.quarantined'
      readonly token: string
      readonly platform: Platform
      readonly reason: string
    }
  /** `push` null: the app didn't say. */
  | { readonly type: 'opened'; readonly count: number; readonly push: string | null }
  | { readonly type: 'sending.paused'; readonly platform: Platform; readonly reason: string }
  | { readonly type: 'sending.resumed'; readonly platform: Platform }

type Counting =
  | {
      readonly type: 'pushes.accepted' | 'devices.registered' | 'devices.gone' | 'notifications.received'
      readonly count: number
    }
  | { readonly type: 'pushes.finished'; readonly count: number; readonly s: number; readonly failed: number }

/** More events of a kind and an application at one look are only counted. */
const MAX_AT_ONCE = 20

/** What counts many of a kind. */
const MANY: Partial<Record<TailEvent['type'], Exclude<Counting['type'], 'pushes.finished'>>> = {
  'push.accepted': 'pushes.accepted',
  'device.registered': 'devices.registered',
  'device.gone': 'devices.gone',
  'device.quarantined': 'devices.gone',
  'notification.received': 'notifications.received',
}

/** Counts bursts. Pushes that only start are left out of them: their end follows. */
export function summedUp(events: readonly TailEvent[], now: number): TailEvent[] {
  const kinds = Map.groupBy(events, ({ application, type }) => `${application} ${MANY[type] ?? type}`)
  return [...kinds.values()].flatMap((kind) => (kind.length > MAX_AT_ONCE ? counted(kind, now) : kind))
}

function counted(kind: readonly TailEvent[], now: number): readonly TailEvent[] {
  const [first] = kind
  if (first === undefined) return []
  const { type, application } = first
  const all = { at: now, application, count: kind.length }
  const many = MANY[type]
  if (many !== undefined) return [{ ...all, type: many }]
  if (type === 'push.started') return []
  const ends = kind.flatMap((event) => (event.type === 'push.finished' ? [event] : []))
  if (ends.length === 0) return kind
  const sum = (what: 's' | 'failed') => ends.reduce((total, end) => total + end[what], 0)
  return [{ ...all, type: 'pushes.finished', s: sum('s'), failed: sum('failed') }]
}
