import type { WholeStatus } from '../../push/status/whole-status.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { grouped, moment } from '../../text/format.ts'
import type { Style } from '../terminal/style.ts'
import { tableText } from '../terminal/table-text.ts'

type Counts = Pick<WholeStatus, 's' | 'o' | 'received'> & {
  readonly failed: number
  readonly opened_rate: number | null
  readonly actions: Readonly<Record<string, number>>
}

const HEAD = ['  LANGUAGE', 'ACCEPTED', 'FAILED', 'RECEIVED', 'OPENED', '', 'ACTIONS']
const SIDES = ['left', 'right', 'right', 'right', 'right', 'right', 'right'] as const

/** A push's state, counts, failures and languages. */
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
