import type { FoundDevice } from '../../device/device-search-store.ts'
import type { ExplainVerdict } from '../../push/explain/explanation.ts'
import type { explanationOf } from '../../push/status/status-answer.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { moment, tokenPart } from '../../text/format.ts'
import type { Colour, Style } from '../terminal/style.ts'
import { tableText } from '../terminal/table-text.ts'
import { PLATFORM } from '../../platform.ts'

type Explained = ReturnType<typeof explanationOf> & {
  /** `push.id` */
  readonly push: string
  /** `null`: no device has this token. */
  readonly device: FoundDevice | null
  /** No server answers, and a pause may be the reason. */
  readonly pauseUnknown: boolean
}

export function explanationText(record: Explained, { paint, legible }: Style): string {
  const { verdict, explanation, device, reason, at, attempts, excluded_by: excludedBy } = record
  const { next_attempt_at: next, apns_id: apnsId } = record
  const row = (name: string, value: string | number | null) => (value === null ? [] : [[`  ${name}`, String(value)]])
  const rows = [
    ...row('push', record.push),
    ...row('device', device && deviceText(device)),
    ...row('reason', reason && escapeControls(reason)),
    ...row('left out by', excludedBy.length > 0 ? excludedBy.join(', ') : null),
    ...row('at', at && moment(Date.parse(at))),
    ...row('attempts', attempts),
    ...row('language', record.language === undefined ? null : (record.language ?? "the push's text")),
    ...row('next attempt', next && moment(Date.parse(next))),
    ...row('apns-id', apnsId),
    ...row('adopted', record.adopted_at === undefined ? null : moment(Date.parse(record.adopted_at))),
  ]
  const notes = record.pauseUnknown ? ['No server answers, so whether sending is paused is unknown.'] : []
  const sentences = [escapeControls(explanation), ...notes].join('\n')
  const title = paint(COLOURS[verdict] ?? 'yellow', verdict.replaceAll('_', ' '))
  return `${title}\n${sentences}\n\n${legible(tableText(rows).join('\n'))}\n`
}

const COLOURS: Partial<Record<ExplainVerdict, Colour>> = {
  opened: 'green',
  received: 'green',
  accepted: 'green',
  rejected: 'red',
  gone: 'red',
  quarantined: 'red',
  not_registered: 'red',
}

function deviceText({ token, platform, alias }: FoundDevice): string {
  const named = alias === null ? '' : `, alias ${escapeControls(alias)}`
  return `${escapeControls(tokenPart(token))} (${PLATFORM[platform].name}${named})`
}
