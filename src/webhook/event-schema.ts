import { PROVIDERS } from '../platform.ts'
import {
  count,
  exampleOf,
  objectSchema,
  oneOf,
  orNull,
  platformSchema,
  text,
  time,
  uuid,
} from '../http/answer-schema.ts'
import type { JsonSchema } from '../http/fields.ts'

const provider = oneOf(PROVIDERS, 'Whose credential it is.', 'apns')
const id = uuid("The push's ID.", '019a9f7e-3c1b-7000-8000-000000000000')
const TOKEN = '3f8a09c1'.repeat(8)
const AT = '2026-11-20T12:00:05.000Z'

/** For each event: when it is sent, the name of its schema, and its `data`. */
export const EVENTS = {
  'push.finished': {
    summary: 'A push has finished or was cancelled',
    title: 'PushFinishedEvent',
    data: objectSchema(
      'PushFinished',
      {
        id,
        state: oneOf(['finished', 'cancelled'], 'Cancelled. The counts are those at that time.', 'finished'),
        t: count('Devices addressed.', 12_345),
        s: count('Accepted by APNs, FCM or a push service.', 12_300),
        failed: count('Devices the push failed for.', 45),
        reason: text('Why a gateway refused the push for everybody. Absent: none did.'),
        started_at: time(
          'When the first was sent. Absent if the push was cancelled before.',
          '2026-11-20T12:00:00.000Z',
        ),
        finished_at: time('When the last was answered for.', AT),
      },
      ['reason', 'started_at'],
    ),
  },
  'push.opened': {
    summary: 'An app reported that a push was opened, or a button chosen; off by default',
    title: 'PushOpenedEvent',
    data: objectSchema(
      'PushOpened',
      {
        id,
        event: oneOf(['opened', 'action'], 'What PUT /stats received.', 'action'),
        platform: platformSchema,
        action: text('The name of the action. Absent: it was an open.', 'reply'),
        token: text('The device. Absent if the app did not name it, or no device has this token.', TOKEN),
        language: orNull(
          text(
            "The language the device gets. null: the push's own text. Absent without `languages`, or if no device is named.",
          ),
        ),
      },
      ['action', 'token', 'language'],
    ),
  },
  'device.gone': {
    summary: 'A gateway reported a device as unregistered, as GET /feedback lists',
    title: 'DeviceGoneEvent',
    data: objectSchema('DeviceGone', {
      token: text('The unregistered token.', TOKEN),
      platform: platformSchema,
      reason: text('The reason of APNs, FCM or the push service.', 'Unregistered'),
      at: time('When it said so.', AT),
    }),
  },
  'credential.paused': {
    summary: 'A gateway refuses the credential; pushes are waiting',
    title: 'CredentialPausedEvent',
    data: objectSchema('CredentialPaused', {
      provider,
      state: oneOf(['misconfigured'], 'What it is now.', 'misconfigured'),
      reason: text('The word of the gateway.', 'InvalidProviderToken'),
    }),
  },
  'credential.resumed': {
    summary: 'The credential works again',
    title: 'CredentialResumedEvent',
    data: objectSchema('CredentialResumed', { provider, state: oneOf(['ready'], 'What it is now.', 'ready') }),
  },
} as const

/** Standard Webhooks. */
const HEADERS = [
  ['webhook-id', 'The same at each try.', 'msg_17'],
  ['webhook-timestamp', 'When it is sent, in seconds since 1970.', '1795176005'],
  ['webhook-signature', '`v1,` and the HMAC-SHA256 of id, timestamp and body with the secret, in base64.', 'v1,…'],
].map(([name, description, example]) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
}))

const ANSWERS = {
  '2XX': { description: 'Accepted within 15 s. Any other answer is retried ten times over three days.' },
  '410': { description: 'Send no more events: disables the webhook.' },
}

/** `webhooks` of OpenAPI 3.1: event → path item. */
export const WEBHOOKS: JsonSchema = Object.fromEntries(
  Object.entries(EVENTS).map(([type, { summary, title, data }]) => {
    const schema = objectSchema(title, {
      type: oneOf([type], 'What happened.', type),
      timestamp: time('When it happened.', AT),
      data,
    })
    const operation = {
      operationId: title.charAt(0).toLowerCase() + title.slice(1),
      summary,
      tags: ['Webhooks'],
      security: [],
      parameters: HEADERS,
      requestBody: {
        required: true,
        content: { 'application/json': { schema, example: exampleOf(schema) } },
      },
      responses: ANSWERS,
    }
    return [type, { post: operation }]
  }),
)
