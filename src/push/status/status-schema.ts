import { failure, Refused } from '../../failure.ts'
import { count, listOf, objectSchema, oneOf, orNull, platformSchema, text, time } from '../../http/answer-schema.ts'
import { wholeNumber } from '../../http/fields.ts'
import type { JsonSchema } from '../../http/fields.ts'
import { PLATFORM_CHOICE } from '../../platform.ts'

const MAX_PUSHES = 1000

const PUSHES = 100

/** Query parameters are strings; a wrong one is refused like a wrong field. */
export function readPushLimit(value: string | undefined): number {
  return value === undefined ? PUSHES : wholeNumber(1, MAX_PUSHES).read(value, 'limit')
}

/** `after` is the cursor of a page's Link header: opaque to callers, a push's number here. */
export function readPushCursor(value: string | undefined): number {
  return value === undefined ? Number.MAX_SAFE_INTEGER : wholeNumber(0, Number.MAX_SAFE_INTEGER).read(value, 'after')
}

const EXAMPLE_ID = '019a9f7e-3c1b-7000-8000-000000000000'

export const ID_PARAMETER: JsonSchema = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id that the push was answered with.',
  schema: { type: 'string', format: 'uuid' },
  example: EXAMPLE_ID,
}

export const PAGE_PARAMETERS: readonly JsonSchema[] = [
  {
    name: 'limit',
    in: 'query',
    description: `Pushes in a page, 1 to ${MAX_PUSHES}.`,
    schema: { type: 'integer', minimum: 1, maximum: MAX_PUSHES, default: PUSHES },
  },
  { name: 'after', in: 'query', description: 'The cursor of the Link header.', schema: { type: 'string' } },
]

export const NO_PUSH_FOUND = { ResourceNotFound: 'No push found' }

export function noPush(): Refused {
  return new Refused(failure('ResourceNotFound', NO_PUSH_FOUND.ResourceNotFound))
}

const state = oneOf(
  ['scheduled', 'sending', 'paused', 'finished', 'cancelled'],
  'Paused: all that is left waits; `reason` says for what.',
)
const id: JsonSchema = { type: 'string', format: 'uuid', description: 'The id that the push was answered with.' }
const reason = orNull(text('Why a paused push waits.'))
const t = count('Devices addressed, as far as they are counted.')
const s = count('Of them accepted by APNs, FCM or a push service.')
const waiting = count('Devices that have no outcome yet: `t` is always `s`, those it failed for, and these.')
const failedTotal = count('Devices that it failed for.')

const listed = {
  id,
  state,
  reason,
  t,
  s,
  o: count('Opens reported.'),
  received: count('Arrivals reported.'),
  failed: { type: 'object', required: ['total'], properties: { total: failedTotal } },
  waiting,
  created_at: time('When it was accepted.'),
  send_at: orNull(time('When it was to go out; null: at once.')),
  started_at: orNull(time('When the first was sent.')),
  finished_at: orNull(time('When the last was answered for.')),
  rate: { type: 'number', minimum: 0, description: 'Accepted a second.' },
}

const share = (what: string) =>
  orNull({
    type: 'number',
    minimum: 0,
    description: `${what} as a fraction of \`s\`, to four places; above 1 where apps report without a token, and more than once. null while none was accepted.`,
  })

export const LISTED = objectSchema('Push', listed)

const actions: JsonSchema = {
  type: 'object',
  additionalProperties: count('How often.'),
  description: 'Actions reported, by name: 20 names, and further ones together as `other`.',
}
const inLanguage = { s, failed: failedTotal, o: listed.o, received: listed.received }
const rates = { opened_rate: share('`o`'), received_rate: share('`received`') }

export const STATUS = objectSchema(
  'PushStatus',
  {
    ...listed,
    failed: {
      type: 'object',
      required: ['total', 'reasons'],
      properties: {
        total: failedTotal,
        reasons: {
          type: 'object',
          additionalProperties: count('Devices.'),
          description:
            'Devices by the reason that the gateway gave. `expired`, `cancelled`: not sent to before the time to live was over, or the push was called off. `DeviceRemoved`: unregistered, or declared gone, before it was sent to.',
        },
      },
    },
    ...rates,
    actions,
    platforms: {
      type: 'object',
      description: `The same for each platform that it goes to, by ${PLATFORM_CHOICE}.`,
      additionalProperties: objectSchema('PlatformStatus', {
        state,
        reason,
        t,
        s,
        failed: failedTotal,
        waiting,
        retrying: count('Of those that wait, tried before.'),
      }),
    },
    languages: {
      ...listOf(
        objectSchema('LanguageStatus', {
          language: orNull(text("Its tag; null: the push's own text.")),
          ...inLanguage,
          ...rates,
          actions,
        }),
      ),
      description:
        'Each language of the push, and its own text first: what was sent in it, and what apps have reported of that. A report counts by the locale that the device has then. Absent where the push has no `languages`.',
    },
    language_unknown: {
      ...objectSchema('LanguageUnknown', { ...inLanguage, actions }),
      description:
        'Of a push with `languages`, what belongs to none of them, so that all together are the counts of the push: reports that name no device, and devices that it failed for before a text was chosen.',
    },
  },
  ['languages', 'language_unknown'],
)

export const FAILED = objectSchema('PushFailure', {
  token: orNull(text('null where the device was erased since.')),
  platform: platformSchema,
  state: oneOf(['rejected', 'gone', 'expired', 'cancelled'], 'How it ended.'),
  reason: text('The word of the gateway.'),
  attempts: count('How often it was sent.'),
  at: time('When it was decided.'),
})

export const CANCELLATION = objectSchema('Cancellation', {
  message: text('"Cancelled".'),
  state: oneOf(['scheduled', 'sending'], 'What it was before.'),
  t,
  s,
})

export const LISTED_EXAMPLE = {
  id: EXAMPLE_ID,
  state: 'sending',
  reason: null,
  t: 1200,
  s: 1100,
  o: 17,
  received: 940,
  failed: { total: 12 },
  waiting: 88,
  created_at: '2026-11-20T09:00:00.000Z',
  send_at: null,
  started_at: '2026-11-20T09:00:00.004Z',
  finished_at: null,
  rate: 5500,
}

export const STATUS_EXAMPLE = {
  ...LISTED_EXAMPLE,
  failed: { total: 12, reasons: { Unregistered: 11, BadDeviceToken: 1 } },
  opened_rate: 0.0155,
  received_rate: 0.8545,
  actions: { reply: 4, later: 2 },
  platforms: {
    '0': { state: 'sending', reason: null, t: 1200, s: 1100, failed: 12, waiting: 88, retrying: 3 },
  },
}

export const FAILURE_EXAMPLE = {
  token: '3f8a09c1'.repeat(8),
  platform: '0',
  state: 'gone',
  reason: 'Unregistered',
  attempts: 1,
  at: '2026-11-20T09:00:00.000Z',
}
