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
const id = uuid('The id that the push was answered with.', '019a9f7e-3c1b-7000-8000-000000000000')
const TOKEN = '3f8a09c1'.repeat(8)
const AT = '2026-11-20T12:00:05.000Z'

/** What an application can hear of: when, the name of the schema, and the event's `data`. */
export const EVENTS = {
  'push.finished': {
    summary: 'Nobody of a push is left to send to, or it was called off',
    title: 'PushFinishedEvent',
    data: objectSchema(
      'PushFinished',
      {
        id,
        state: oneOf(
          ['finished', 'cancelled'],
          'Cancelled: the counts are those of what had gone out before.',
          'finished',
        ),
        t: count('Devices addressed.', 12_345),
        s: count('Of them accepted by APNs, FCM or a push service.', 12_300),
        failed: count('Devices that it failed for.', 45),
        reason: text('Why a gateway refused the push for everybody. Absent: none did.'),
        started_at: time('When the first was sent. Absent: it was called off before.', '2026-11-20T12:00:00.000Z'),
        finished_at: time('When the last was answered for.', AT),
      },
      ['reason', 'started_at'],
    ),
  },
  'push.opened': {
    summary: 'An app reports that a push was opened, or answered by an action; off by default',
    title: 'PushOpenedEvent',
    data: objectSchema(
      'PushOpened',
      {
        id,
        event: oneOf(['opened', 'action'], 'What PUT /stats was told.', 'action'),
        platform: platformSchema,
        action: text('The name of the action. Absent: it was an open.', 'reply'),
        token: text('The device. Absent: the app has not named it, or there is none with this token.', TOKEN),
        language: orNull(
          text(
            "The language that the device gets; null: the push's own text. Absent where the push has no `languages`, or no device is named.",
          ),
        ),
      },
      ['action', 'token', 'language'],
    ),
  },
  'device.gone': {
    summary: 'A gateway declared a device gone: what GET /feedback lists',
    title: 'DeviceGoneEvent',
    data: objectSchema('DeviceGone', {
      token: text('The token that was declared gone.', TOKEN),
      platform: platformSchema,
      reason: text('The word of APNs, FCM or the push service for it.', 'Unregistered'),
      at: time('When it said so.', AT),
    }),
  },
  'credential.paused': {
    summary: 'A gateway refuses the credential, and pushes wait',
    title: 'CredentialPausedEvent',
    data: objectSchema('CredentialPaused', {
      provider,
      state: oneOf(['misconfigured'], 'What it is now.', 'misconfigured'),
      reason: text('The word of the gateway.', 'InvalidProviderToken'),
    }),
  },
  'credential.resumed': {
    summary: 'The credential is good again',
    title: 'CredentialResumedEvent',
    data: objectSchema('CredentialResumed', { provider, state: oneOf(['ready'], 'What it is now.', 'ready') }),
  },
} as const

/** The headers of Standard Webhooks. */
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

/** What your backend answers. */
const ANSWERS = {
  '2XX': { description: 'Taken, within 15 s. Anything else is tried again, ten times over three days.' },
  '410': { description: 'Never again: disables the webhook.' },
}

/** The webhooks of OpenAPI 3.1: event → path item. */
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
