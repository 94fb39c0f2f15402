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
      'In a sentence or two.',
      'The push excluded the device: it has the tag "muted", which the push excludes. This is based on the device as it is now.',
    ),
    platform: orNull(platformSchema),
    excluded_by: listOf(text(undefined, 'except_tags'), "The push's fields that exclude the device."),
    reason: orNull(text('The word of the gateway.'), null),
    at: orNull(time('When it was decided.'), null),
    attempts: orNull(count('How often it was sent.'), null),
    next_attempt_at: orNull(time('When it is tried again.'), null),
    apns_id: orNull(text('The apns-id of the notification, which Apple can look up.'), null),
    judged_now: yesOrNo("Whether the device's current state was used.", true),
    receipts: shownAs(
      listOf(
        objectSchema('Receipt', {
          event: oneOf(RECEIPT_EVENTS, 'What the app reported.'),
          action: orNull(text('The name of the action; null for other events.')),
          at: time('When it was first reported.'),
        }),
        "What the device's app reported about the push.",
      ),
      [],
    ),
    language: orNull(
      text(
        "With `languages`: the language the device was sent if recorded, else the one for its current locale. null: the push's own text. Absent without `languages` or without a device.",
      ),
    ),
    adopted_at: time('When the app’s token replaced the imported one. Absent if that did not happen.'),
  },
  ['language', 'adopted_at'],
)
