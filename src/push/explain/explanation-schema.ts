import { count, listOf, objectSchema, oneOf, orNull, platformSchema, text, time } from '../../http/answer-schema.ts'
import { RECEIPT_EVENTS } from '../../stats/receipt.ts'
import { VERDICTS } from './explanation.ts'

export const EXPLANATION = objectSchema(
  'DeviceVerdict',
  {
    verdict: oneOf(VERDICTS, 'What became of it.'),
    explanation: text('The same in a sentence or two.'),
    platform: orNull(platformSchema),
    excluded_by: { ...listOf({ type: 'string' }), description: 'The fields of the push that leave the device out.' },
    reason: orNull(text('The word of the gateway.')),
    at: orNull(time('When it was decided.')),
    attempts: orNull(count('How often it was sent.')),
    next_attempt_at: orNull(time('When it is tried again.')),
    apns_id: orNull(text('The apns-id of the notification, which Apple can look up.')),
    judged_now: { type: 'boolean', description: 'Whether the audience was held against the device as it is now.' },
    receipts: {
      ...listOf(
        objectSchema('Receipt', {
          event: oneOf(RECEIPT_EVENTS, 'What the app has reported.'),
          action: orNull(text('The name of the action; null for other events.')),
          at: time('When it was first reported.'),
        }),
      ),
      description: 'What the app of the device has reported of the push.',
    },
    language: orNull(
      text(
        "Of a push with `languages`: the one that the device was sent, where that is written down, else the one for its locale as it is now; null: the push's own text. Absent where the push has none, or the token no device.",
      ),
    ),
    adopted_at: time(
      'When the app took the place of the device as it was imported, which had another token until then; absent where it was not so.',
    ),
  },
  ['language', 'adopted_at'],
)

export const EXPLANATION_EXAMPLE = {
  verdict: 'excluded',
  explanation:
    'The push left the device out: it has the tag "muted", which except_tags names. This is judged by the device as it is now.',
  platform: '0',
  excluded_by: ['except_tags'],
  reason: null,
  at: null,
  attempts: null,
  next_attempt_at: null,
  apns_id: null,
  judged_now: true,
  receipts: [],
}
