import type { pushStatusOf } from '../../push/status/status-answer.ts'
import type { PushState } from '../../push/status/status.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { ago, grouped, moment } from '../../text/format.ts'
import type { Colour, Style } from '../terminal/style.ts'
import { tableText } from '../terminal/table-text.ts'
import type { Side } from '../terminal/table-text.ts'

interface View {
  readonly pushes: readonly ReturnType<typeof pushStatusOf>[]
  /** Only pushes that wait for their time. */
  readonly scheduled: boolean
  /** Whether no push comes before these. */
  readonly first: boolean
  /** Whether more pushes follow. */
  readonly more: boolean
  /** ms since the Unix epoch. */
  readonly now: number
}

const HEAD = ['PUSH', 'STATE', 'WHEN', 'ADDRESSED', 'ACCEPTED', 'FAILED']
const SIDES: readonly Side[] = ['left', 'left', 'left', 'right', 'right', 'right', 'right', 'right']

const COLOURS: Readonly<Record<PushState, Colour>> = {
  scheduled: 'cyan',
  sending: 'cyan',
  paused: 'yellow',
  finished: 'green',
  cancelled: 'yellow',
}

/** Columns in which whole ids find room. */
const ROOMY = 110

/** Of an id: its time to the millisecond, and 12 bits more. */
const SHOWN = 18

/** A table, with what the paused ones wait for below it. */
export function pushesText({ pushes, scheduled, first, more, now }: View, { columns, paint, legible }: Style): string {
  if (pushes.length === 0) {
    if (scheduled) return 'Nothing is scheduled.\n'
    return first
      ? 'There are no pushes yet: bellhop push APP MESSAGE --all sends one.\n'
      : 'There are no more pushes.\n'
  }
  const part = (id: string) => (columns === null || columns >= ROOMY ? id : `${id.slice(0, SHOWN)}…`)
  const areReported = pushes.some(({ received }) => received > 0)
  const head = [...HEAD, ...(areReported ? ['RECEIVED'] : []), 'OPENED']
  const rows = pushes.map(({ id, state, send_at: sendAt, created_at: createdAt, t, s, o, received, failed }) => [
    part(id),
    paint(COLOURS[state], state),
    sendAt !== null && (state === 'scheduled' || scheduled)
      ? `for ${moment(Date.parse(sendAt))}`
      : ago(Date.parse(createdAt), now),
    ...[t, s, failed.total, ...(areReported ? [received] : []), o].map(grouped),
  ])
  const [title = '', ...lines] = tableText([head, ...rows], SIDES)
  const waits = pushes.flatMap(({ id, reason }) =>
    reason === null ? [] : [`${part(id)} waits: ${escapeControls(reason)}`],
  )
  const last = pushes.at(-1)?.id
  const next = scheduled ? 'More of them: --limit' : `More of them: --after ${last}`
  return legible([paint('dim', title), ...lines, ...waits, ...(more ? [next] : []), ''].join('\n'))
}
