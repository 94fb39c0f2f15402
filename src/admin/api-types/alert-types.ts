import { listOf, objectSchema, oneOf, orNull, text, time } from '../../http/answer-schema.ts'
import type { AnswerOf } from '../../http/answer-schema.ts'

export const AlertView = objectSchema('AlertView', {
  name: text(),
  channel: oneOf(['webhook', 'ntfy', 'email']),
  place: text('Where messages go: an origin, or an address of mail.'),
  kinds: listOf(oneOf(['not-ready', 'backup-late', 'certificate', 'quota', 'credential', 'disk'])),
  toldAt: orNull(time('When the last message was taken.')),
  problem: orNull(text('Why the last message was not taken.')),
})
export type AlertView = AnswerOf<typeof AlertView>

export const AlertsAnswer = objectSchema('AlertsAnswer', { alerts: listOf(AlertView) })
export type AlertsAnswer = AnswerOf<typeof AlertsAnswer>
