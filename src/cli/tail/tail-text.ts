import type { Application } from '../../application/application.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { counted, grouped, isoOrNull, isoTime, moment } from '../../text/format.ts'
import { PLATFORM } from '../../platform.ts'
import type { Platform } from '../../device/device.ts'
import type { Colour, Style } from '../terminal/style.ts'
import { shortened } from '../terminal/table-text.ts'
import type { TailEvent } from './tail-event.ts'

/** `null`: deleted. */
export type Named = Pick<Application, 'id' | 'name'> | null

/** `12:00:03 Corner Shop finished 019a…: sent 1,234 of 1,250, 16 failed`. `whose`: whether to name the application. */
export function eventText(event: TailEvent, application: Named, whose: boolean, { paint, legible }: Style): string {
  const [colour, verb, text] = wordsOf(event)
  const parts = [
    paint('dim', timeOf(event.at)),
    ...(whose ? [escapeControls(application?.name ?? '?')] : []),
    paint(colour, verb.padEnd(WIDEST)),
    legible(text),
  ]
  return `${parts.join('  ')}\n`
}

export function eventJson(event: TailEvent, application: Named): object {
  const entries = Object.entries(event).filter(([name]) => name !== 'at' && name !== 'application' && name !== 'sendAt')
  return {
    at: isoTime(event.at),
    application: application?.id ?? null,
    ...Object.fromEntries(entries),
    ...('platform' in event && { platform: String(event.platform) }),
    ...('sendAt' in event && { send_at: isoOrNull(event.sendAt) }),
  }
}

const WIDEST = 'quarantined'.length

function wordsOf(event: TailEvent): readonly [Colour, string, string] {
  switch (event.type) {
    case 'push.accepted':
      return ['cyan', 'accepted', `push ${event.push}${event.sendAt === null ? '' : `, for ${moment(event.sendAt)}`}`]
    case 'pushes.accepted':
      return ['cyan', 'accepted', counted(event.count, 'push', 'pushes')]
    case 'push.released':
      return ['cyan', 'released', `push ${event.push}: due now`]
    case 'push.started':
      return ['cyan', 'started', `push ${event.push}`]
    case 'push.finished':
      return [event.s === 0 && event.failed > 0 ? 'red' : 'green', 'finished', `push ${event.push}: ${sentOf(event)}`]
    case 'push.cancelled':
      return ['yellow', 'cancelled', `push ${event.push}: ${sentOf(event)}`]
    case 'pushes.finished':
      return [
        'green',
        'finished',
        `${counted(event.count, 'push', 'pushes')}: ${sentOf({ ...event, t: event.s + event.failed })}`,
      ]
    case 'device.registered':
      return ['green', 'registered', deviceOf(event)]
    case 'devices.registered':
      return ['green', 'registered', counted(event.count, 'device')]
    case 'notifications.received':
      return ['green', 'received', counted(event.count, 'notification')]
    case 'notification.received':
      return [event.reason === null && event.status !== null ? 'green' : 'yellow', 'received', receivedOf(event)]
    case 'devices.gone':
      return ['yellow', 'gone', counted(event.count, 'device')]
    case 'device.gone':
      return ['yellow', 'gone', `${deviceOf(event)}: ${escapeControls(event.reason)}`]
    case 'device.quarantined':
      return ['yellow', 'quarantined', `${deviceOf(event)}: ${escapeControls(event.reason)}`]
    case 'opened':
      return ['green', 'opened', openedOf(event)]
    case 'sending.paused':
      return ['red', 'paused', `${PLATFORM[event.platform].gateway}: ${escapeControls(event.reason)}`]
    case 'sending.resumed':
      return ['green', 'resumed', `${PLATFORM[event.platform].gateway} accepts notifications again`]
  }
}

function sentOf({ t, s, failed }: { readonly t: number; readonly s: number; readonly failed: number }): string {
  return `sent ${grouped(s)} of ${grouped(t)}${failed > 0 ? `, ${grouped(failed)} failed` : ''}`
}

function deviceOf({ token, platform }: { readonly token: string; readonly platform: Platform }): string {
  return `${escapeControls(token)} (${PLATFORM[platform].name})`
}

/** `c1c1c1c1… (iOS): "Oven — Fresh bread", badge 3; answered 410 Unregistered`. */
function receivedOf(event: Extract<TailEvent, { type: 'notification.received' }>): string {
  const { title, text, badge, status, reason } = event
  const words = [title, text].filter((part) => part !== null).map(escapeControls)
  const shown = words.length === 0 ? 'nothing to show' : `"${shortened(words.join(' — '), MAX_TEXT, true)}"`
  const answer =
    status === null ? 'not answered' : `answered ${status}${reason === null ? '' : ` ${escapeControls(reason)}`}`
  const isFine = status === 200 && reason === null
  return `${deviceOf(event)}: ${shown}${badge === null ? '' : `, badge ${badge}`}${isFine ? '' : `; ${answer}`}`
}

const MAX_TEXT = 80

function openedOf({ count, push }: { readonly count: number; readonly push: string | null }): string {
  const times = counted(count, 'time')
  return push === null ? `${times}, no push named` : `push ${push}, ${times}`
}

function timeOf(at: number): string {
  const zoned = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(Temporal.Now.timeZoneId())
  return zoned.toPlainTime().toString({ smallestUnit: 'second' })
}
