import type { PushText } from '../../push/status/push-summary-store.ts'
import type { pushStatusOf } from '../../push/status/status-answer.ts'
import type { PushState } from '../../push/status/status.ts'
import type { WholeStatus } from '../../push/status/whole-status.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { ago, grouped, moment } from '../../text/format.ts'
import type { Colour, Style } from '../terminal/style.ts'
import { listing, tableText } from '../terminal/table-text.ts'
import type { Column } from '../terminal/table-text.ts'

type ShownPush = ReturnType<typeof pushStatusOf> & { readonly text: PushText | null }

interface View {
  readonly pushes: readonly ShownPush[]
  readonly scheduled: boolean
  readonly first: boolean
  readonly more: boolean
  readonly now: number
}

const COLOURS: Readonly<Record<PushState, Colour>> = {
  scheduled: 'cyan',
  sending: 'cyan',
  paused: 'yellow',
  finished: 'green',
  cancelled: 'yellow',
}

/** Room for whole IDs. */
const ROOMY = 130

/** The ID's time to the millisecond, and 12 random bits. */
const SHOWN = 18

/** Of a title or message in a list. */
const TEXT_CHARACTERS = 24

export function pushesText(
  { pushes, scheduled, first, more, now }: View,
  { columns: width, paint, legible }: Style,
): string {
  if (pushes.length === 0) {
    if (scheduled) return 'Nothing is scheduled.\n'
    return first
      ? 'There are no pushes yet: bellhop push APP MESSAGE --all sends one.\n'
      : 'There are no more pushes.\n'
  }
  const part = (id: string) => (width === null || width >= ROOMY ? id : `${id.slice(0, SHOWN)}…`)
  const areReported = pushes.some(({ received }) => received > 0)
  const when = ({ state, send_at: sendAt, created_at: createdAt }: ShownPush) =>
    sendAt !== null && (state === 'scheduled' || scheduled)
      ? `for ${moment(Date.parse(sendAt))}`
      : ago(Date.parse(createdAt), now)
  const received: Column<ShownPush> = ['RECEIVED', (one) => grouped(one.received), 'right']
  const columns: readonly Column<ShownPush>[] = [
    ['PUSH', ({ id }) => part(id)],
    ['TEXT', ({ text }) => headline(text)],
    ['STATE', ({ state }) => paint(COLOURS[state], state)],
    ['WHEN', when],
    ['ADDRESSED', ({ t }) => grouped(t), 'right'],
    ['ACCEPTED', ({ s }) => grouped(s), 'right'],
    ['FAILED', ({ failed }) => grouped(failed.total), 'right'],
    ...(areReported ? [received] : []),
    ['OPENED', ({ o }) => grouped(o), 'right'],
  ]
  const waits = pushes.flatMap(({ id, reason }) =>
    reason === null ? [] : [`${part(id)} waits: ${escapeControls(reason)}`],
  )
  const last = pushes.at(-1)?.id
  const next = scheduled ? 'More: --limit' : `Next page: --after ${last}`
  return legible([...listing(pushes, columns, paint), ...waits, ...(more ? [next] : []), ''].join('\n'))
}

function headline(text: PushText | null): string {
  const whole = escapeControls((text?.title ?? text?.msg ?? '').replaceAll(/\s+/g, ' '))
  if (whole === '') return 'silent'
  const characters = Array.from(new Intl.Segmenter().segment(whole), ({ segment }) => segment)
  if (characters.length <= TEXT_CHARACTERS) return whole
  const cut = characters.slice(0, TEXT_CHARACTERS - 1).join('')
  return `${cut.trimEnd()}…`
}

type Counts = Pick<WholeStatus, 's' | 'o' | 'received'> & {
  readonly failed: number
  readonly opened_rate: number | null
  readonly actions: Readonly<Record<string, number>>
}

const HEAD = ['  LANGUAGE', 'ACCEPTED', 'FAILED', 'RECEIVED', 'OPENED', '', 'ACTIONS']
const SIDES = ['left', 'right', 'right', 'right', 'right', 'right', 'right'] as const

export function pushText(status: WholeStatus, { paint, legible }: Style): string {
  const { id, state, reason, t, s, o, received, failed, waiting, languages = [], language_unknown: unknown } = status
  const row = (name: string, value: number | string | null) =>
    value === null ? [] : [[`  ${name}`, typeof value === 'number' ? grouped(value) : value]]
  const time = (iso: string | null) => iso && moment(Date.parse(iso))
  const actions = Object.entries(status.actions).map(([name, count]) => `${escapeControls(name)} ${grouped(count)}`)
  const reasons = Object.entries(failed.reasons).map(([why, count]) => [`  ${escapeControls(why)}`, grouped(count)])
  const rows = [
    ...row('made', time(status.created_at)),
    ...row('for', time(status.send_at)),
    ...row('over', time(status.finished_at)),
    ...row('waits for', reason && escapeControls(reason)),
    ...row('addressed', t),
    ...row('accepted', s),
    ...row('failed', failed.total),
    ...row('waiting', waiting),
    ...row('received', received),
    ...row('opened', `${grouped(o)}${shareText(status.opened_rate)}`),
    ...row('actions', actions.length === 0 ? null : actions.join(', ')),
  ]
  const byLanguage = languages.map((one) => languageRow(one.language ?? 'its own text', one))
  if (unknown !== undefined && unknown.s + unknown.failed + unknown.received + unknown.o > 0) {
    byLanguage.push(languageRow('none known', { ...unknown, opened_rate: null }))
  }
  return legible(
    [
      `${id} ${paint('bold', state)}`,
      ...tableText(rows),
      ...(reasons.length === 0 ? [] : ['', 'Failed for', ...tableText(reasons, ['left', 'right'])]),
      ...(byLanguage.length === 0 ? [] : ['', ...tableText([HEAD, ...byLanguage], SIDES)]),
      '',
    ].join('\n'),
  )
}

function languageRow(name: string, { s, failed, received, o, opened_rate: rate, actions }: Counts): string[] {
  const acted = Object.values(actions).reduce((sum, count) => sum + count, 0)
  return [`  ${name}`, ...[s, failed, received, o].map(grouped), shareText(rate).trim(), grouped(acted)]
}

function shareText(rate: number | null): string {
  return rate === null ? '' : ` (${(rate * 100).toFixed(1)} %)`
}
