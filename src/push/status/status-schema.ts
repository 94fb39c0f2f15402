import { failure, Refused } from '../../failure.ts'
import {
  count,
  listOf,
  mapOf,
  number,
  objectSchema,
  oneOf,
  orNull,
  platformSchema,
  shapeOf,
  shownAs,
  text,
  time,
  uuid,
  yesOrNo,
} from '../../http/answer-schema.ts'
import { wholeNumber } from '../../http/fields.ts'
import type { JsonSchema } from '../../http/fields.ts'
import { PLATFORM_CHOICE } from '../../platform.ts'

const MAX_PUSHES = 1000

const PUSHES = 100

/** Query parameters are strings; a wrong one is refused like a wrong field. */
export function readPushLimit(value: string | undefined): number {
  return value === undefined ? PUSHES : wholeNumber(1, MAX_PUSHES).read(value, 'limit')
}

/** `after`: the Link header's cursor, opaque to callers: a push's number. */
export function readPushCursor(value: string | undefined): number {
  return value === undefined ? Number.MAX_SAFE_INTEGER : wholeNumber(0, Number.MAX_SAFE_INTEGER).read(value, 'after')
}

const EXAMPLE_ID = '019a9f7e-3c1b-7000-8000-000000000000'

export const ID_PARAMETER: JsonSchema = {
  name: 'id',
  in: 'path',
  required: true,
  description: "The push's ID.",
  schema: { type: 'string', format: 'uuid' },
  example: EXAMPLE_ID,
}

export const PAGE_PARAMETERS: readonly JsonSchema[] = [
  {
    name: 'limit',
    in: 'query',
    description: `Pushes in a page, 1 to ${MAX_PUSHES}.`,
    schema: { type: 'integer', minimum: 1, maximum: MAX_PUSHES, default: PUSHES },
    example: PUSHES,
  },
  {
    name: 'after',
    in: 'query',
    description: 'The cursor of the Link header.',
    schema: { type: 'string' },
    example: '1200',
  },
]

export const NO_PUSH_FOUND = { ResourceNotFound: 'No push found' }

export function noPush(): Refused {
  return new Refused(failure('ResourceNotFound', NO_PUSH_FOUND.ResourceNotFound))
}

const state = oneOf(
  ['scheduled', 'sending', 'paused', 'finished', 'cancelled'],
  'Paused: everything left is waiting; `reason` says for what.',
  'sending',
)
const reason = orNull(text('Why a paused push waits.'), null)
const t = count('Devices addressed so far.', 1200)
const s = count('Accepted by APNs, FCM or a push service.', 1100)
const waiting = count('Devices without an outcome yet: `t` is always the sum of `s`, `failed.total` and `waiting`.', 88)
const failedTotal = count('Devices the push failed for.', 12)

const listed = {
  id: uuid("The push's ID.", EXAMPLE_ID),
  state,
  reason,
  t,
  s,
  o: count('Opens reported.', 17),
  received: count('Arrivals reported.', 940),
  failed: shapeOf({ total: failedTotal }),
  waiting,
  created_at: time('When it was accepted.', '2026-11-20T09:00:00.000Z'),
  send_at: orNull(time('When it was to go out; null: at once.'), null),
  started_at: orNull(time('When the first was sent.', '2026-11-20T09:00:00.004Z')),
  finished_at: orNull(time('When the last was answered for.'), null),
  rate: { ...number('Accepted a second.', 5500), minimum: 0 },
}

const share = (what: string, example: number) =>
  orNull({
    ...number(
      `${what} as a fraction of \`s\`, to four places; above 1 where apps report without a token, and more than once. null while none was accepted.`,
      example,
    ),
    minimum: 0,
  })

export const LISTED = objectSchema('Push', listed)

const actions = mapOf(
  count('How often.'),
  'Actions reported, by name: 20 names, and further ones together as `other`.',
  { reply: 4, later: 2 },
)
const inLanguage = { s, failed: failedTotal, o: listed.o, received: listed.received }
const rates = { opened_rate: share('`o`', 0.0155), received_rate: share('`received`', 0.8545) }

const platformStatus = objectSchema('PlatformStatus', {
  state,
  reason,
  t,
  s,
  failed: failedTotal,
  waiting,
  retrying: count('Waiting devices that were already tried.'),
})

export const STATUS = objectSchema(
  'PushStatus',
  {
    ...listed,
    failed: shapeOf({
      total: failedTotal,
      reasons: mapOf(
        count('Devices.'),
        'Devices by the reason that the gateway gave. `expired`, `cancelled`: not reached before the time to live ended or the push was cancelled. `DeviceRemoved`: unregistered before it was sent to.',
        { Unregistered: 11, BadDeviceToken: 1 },
      ),
    }),
    ...rates,
    actions,
    platforms: mapOf(platformStatus, `The same for each platform that it goes to, by ${PLATFORM_CHOICE}.`, {
      '0': { state: 'sending', reason: null, t: 1200, s: 1100, failed: 12, waiting: 88, retrying: 3 },
    }),
    languages: listOf(
      objectSchema('LanguageStatus', {
        language: orNull(text("Its tag. null: the push's own text.")),
        ...inLanguage,
        ...rates,
        actions,
      }),
      "The push's own text first, then each language: what was sent in it and what apps reported. A report counts by the device's locale at that time. Absent without `languages`.",
    ),
    language_unknown: {
      ...shownAs(objectSchema('LanguageUnknown', { ...inLanguage, actions }), undefined),
      description:
        'Of a push with `languages`, what belongs to none of them, so that all together are the counts of the push: reports that name no device, and devices that it failed for before a text was chosen.',
    },
  },
  ['languages', 'language_unknown'],
)

export const FAILED = objectSchema('PushFailure', {
  token: orNull(text('null if the device was deleted since.', '3f8a09c1'.repeat(8))),
  platform: platformSchema,
  state: oneOf(['rejected', 'gone', 'expired', 'cancelled'], 'How it ended.', 'gone'),
  reason: text('The word of the gateway.', 'Unregistered'),
  attempts: count('How often it was sent.', 1),
  at: time('When it was decided.', '2026-11-20T09:00:00.000Z'),
})

export const CANCELLATION = objectSchema('Cancellation', {
  message: text('"Cancelled".', 'Cancelled'),
  state: oneOf(['scheduled', 'sending'], 'What it was before.', 'sending'),
  t: shownAs(t, 12_345),
  s: shownAs(s, 678),
})

const NEW_ID = '019a9f80-11aa-7000-8000-000000000000'

export const WITHDRAWAL = objectSchema('Withdrawal', {
  message: text('"Withdrawn".', 'Withdrawn'),
  id: uuid('Of the push that removes the notification: `GET /push/{id}` has its progress.', NEW_ID),
  cancelled: yesOrNo('Whether the push was still being sent. What had not gone out never does.', false),
})

export const REPLACEMENT = objectSchema('Replacement', {
  message: text('"Replaced".', 'Replaced'),
  id: uuid('Of the push with the new text.', NEW_ID),
  cancelled: yesOrNo('Whether the push was still being sent: what is left of it has the new text.', false),
})
