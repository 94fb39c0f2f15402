import {
  anyOf,
  count,
  yesOrNo,
  listOf,
  mapOf,
  number,
  objectSchema,
  oneOf,
  orNull,
  platformSchema,
  shapeOf,
  text,
  time,
} from '../../http/answer-schema.ts'
import type { AnswerOf } from '../../http/answer-schema.ts'

const lastRun = { lastSuccessAt: orNull(time()), lastError: orNull(text()) }

export const BackupsAnswer = objectSchema('BackupsAnswer', {
  schedule: orNull({
    ...shapeOf({
      ...lastRun,
      everyHours: number(),
      lastError: orNull(text('Why the last try failed.')),
      isMaking: yesOrNo(),
      verified: orNull({
        ...shapeOf(lastRun),
        description: 'Whether the newest can be restored; `null`: that is not looked at.',
      }),
    }),
    description: '`null`: backups are off (`--backup`).',
  }),
  backups: listOf(shapeOf({ name: text(), bytes: count(), at: time() }), 'Newest first.'),
  problem: orNull(text('Why they cannot be listed.')),
})
export type BackupsAnswer = AnswerOf<typeof BackupsAnswer>

/** Server-sent events, `event: line`: the last 500 lines, then new ones. None below `--log-level`. */
export const ServiceLogLine = objectSchema('ServiceLogLine', {
  number: count("Starts at 1; also the event's ID."),
  at: time(),
  level: oneOf(['debug', 'info', 'warn', 'error']),
  event: text(),
  fields: mapOf(
    orNull(anyOf(text(), number(), yesOrNo())),
    '`application` is an ID and `name` its name, for lines about one.',
  ),
})
export type ServiceLogLine = AnswerOf<typeof ServiceLogLine>

/** `GET /simulator/received?after=N`, newest last. */
export const ReceivedAnswer = objectSchema('ReceivedAnswer', {
  last: count(),
  received: listOf(
    shapeOf({
      number: count(),
      at: time(),
      application: text("An application's id."),
      platform: platformSchema,
      token: text("Its first 12 characters; of a browser's endpoint `https://host/…` and its last 12."),
      push: orNull(text("The push's ID. `null`: its payload has none.")),
      withdraws: orNull(text('The push that it removes from the screen.')),
      title: orNull(text()),
      subtitle: orNull(text('iOS alone has one.')),
      text: orNull(text()),
      badge: orNull(number()),
      category: orNull(text('On iOS, selects the buttons that the app defined.')),
      hasImage: yesOrNo('Whether the address of a picture comes with it.'),
      status: count(),
      reason: orNull(text()),
    }),
  ),
})
export type ReceivedAnswer = AnswerOf<typeof ReceivedAnswer>
