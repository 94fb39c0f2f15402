import {
  count,
  yesOrNo,
  listOf,
  objectSchema,
  oneOf,
  orNull,
  platformSchema,
  shownAs,
  text,
  time,
} from '../../http/answer-schema.ts'
import { RECEIPT_EVENTS } from '../../stats/receipt.ts'
import { VERDICTS } from './explanation.ts'

export const EXPLANATION = objectSchema(
  'DeviceVerdict',
  {
    verdict: oneOf(VERDICTS, 'What became of it.', 'excluded'),
    explanation: text(
      'The same in a sentence or two.',
      'The push left the device out: it has the tag "muted", which except_tags names. This is judged by the device as it is now.',
    ),
    platform: orNull(platformSchema),
    excluded_by: listOf(text(undefined, 'except_tags'), 'The fields of the push that leave the device out.'),
    reason: orNull(text('The word of the gateway.'), null),
    at: orNull(time('When it was decided.'), null),
    attempts: orNull(count('How often it was sent.'), null),
    next_attempt_at: orNull(time('When it is tried again.'), null),
    apns_id: orNull(text('The apns-id of the notification, which Apple can look up.'), null),
    judged_now: yesOrNo('Whether the audience was held against the device as it is now.', true),
    receipts: shownAs(
      listOf(
        objectSchema('Receipt', {
          event: oneOf(RECEIPT_EVENTS, 'What the app has reported.'),
          action: orNull(text('The name of the action; null for other events.')),
          at: time('When it was first reported.'),
        }),
        'What the app of the device has reported of the push.',
      ),
      [],
    ),
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
