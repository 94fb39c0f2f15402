import { createHash } from 'node:crypto'
import { counted, isoOrNull, isoTime, moment } from '../text/format.ts'
import { eventBodyOf } from '../webhook/event.ts'
import type { AlertKind } from './alert.ts'
import type { News } from './alert-book.ts'

export interface AlertMessage {
  /** The same for each try. */
  readonly id: string
  /** ASCII, since ntfy takes it as a header. */
  readonly title: string
  readonly text: string
  readonly body: string
  readonly isGood: boolean
}

const TITLES: Readonly<Record<AlertKind, string>> = {
  'not-ready': 'not ready',
  'backup-late': 'no good backup',
  certificate: 'certificate ends',
  quota: 'quota',
  credential: 'credential refused',
  disk: 'disk nearly full',
}

const MAX_SHOWN = 20

/** `instance`: name of this service. */
export function alertMessage({ kind, state, conditions }: News, instance: string, now: number): AlertMessage {
  const isGood = state === 'ended'
  const lines = conditions
    .slice(0, MAX_SHOWN)
    .flatMap(({ what, next, since, endedAt }) => [
      what,
      endedAt === null ? `Since ${moment(since)}. Next: ${next}` : `From ${moment(since)} to ${moment(endedAt)}.`,
      '',
    ])
  const more = conditions.length - MAX_SHOWN
  const data = {
    alert: kind,
    state,
    instance,
    since: isoOrNull(conditions[0]?.since ?? null),
    conditions: conditions.map(({ what, next, since, endedAt }) => ({
      what,
      since: isoTime(since),
      ended: isoOrNull(endedAt),
      next: isGood ? null : next,
    })),
  }
  const facts = conditions.map(({ alert, about, since }) => [alert, about, since])
  return {
    id: `alr_${createHash('sha256')
      .update(JSON.stringify([state, kind, facts]))
      .digest('hex')
      .slice(0, 32)}`,
    title: `Bellhop ${ascii(instance)}: ${TITLES[kind]}${isGood ? ' (ended)' : ''}`,
    text: [...lines, ...(more > 0 ? [`And ${counted(more, 'more', 'more')}.`, ''] : [])].join('\n'),
    body: eventBodyOf({ type: 'alert', data }, now),
    isGood,
  }
}

/** `id`: unique. */
export function testMessage(name: string, id: string, instance: string, now: number): AlertMessage {
  const data = { alert: 'test', state: 'begun', instance, since: isoTime(now), conditions: [] }
  return {
    id: `alr_${id}`,
    title: `Bellhop ${ascii(instance)}: test`,
    text: `This is a test of the alert ${name}. Nothing is wrong.\n`,
    body: eventBodyOf({ type: 'alert', data }, now),
    isGood: true,
  }
}

const ascii = (text: string): string => text.replaceAll(/[^ -~]/g, '?')
