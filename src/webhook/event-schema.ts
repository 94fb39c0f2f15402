import { PROVIDERS } from '../platform.ts'
import { count, objectSchema, oneOf, orNull, platformSchema, text, time } from '../http/answer-schema.ts'
import type { JsonSchema } from '../http/fields.ts'
import type { EventType } from './event.ts'

const provider = oneOf(PROVIDERS, 'Whose credential it is.')

/** When it comes, its name as a component, its `data`, and an example of that. */
interface Described {
  readonly summary: string
  readonly title: string
  readonly data: JsonSchema
  readonly example: JsonSchema
}

const EVENTS: Readonly<Record<EventType, Described>> = {
  'push.finished': {
    summary: 'Nobody of a push is left to send to, or it was called off',
    title: 'PushFinishedEvent',
    data: objectSchema(
      'PushFinished',
      {
        id: { type: 'string', format: 'uuid', description: 'The id that the push was answered with.' },
        state: oneOf(['finished', 'cancelled'], 'Cancelled: the counts are those of what had gone out before.'),
        t: count('Devices addressed.'),
        s: count('Of them accepted by APNs, FCM or a push service.'),
        failed: count('Devices that it failed for.'),
        reason: text('Why a gateway refused the push for everybody. Absent: none did.'),
        started_at: time('When the first was sent. Absent: it was called off before.'),
        finished_at: time('When the last was answered for.'),
      },
      ['reason', 'started_at'],
    ),
    example: {
      id: '019a9f7e-3c1b-7000-8000-000000000000',
      state: 'finished',
      t: 12_345,
      s: 12_300,
      failed: 45,
      started_at: '2026-11-20T12:00:00.000Z',
      finished_at: '2026-11-20T12:00:05.000Z',
    },
  },
  'push.opened': {
    summary: 'An app reports that a push was opened, or answered by an action; off by default',
    title: 'PushOpenedEvent',
    data: objectSchema(
      'PushOpened',
      {
        id: { type: 'string', format: 'uuid', description: 'The id that the push was answered with.' },
        event: oneOf(['opened', 'action'], 'What PUT /stats was told.'),
        platform: platformSchema,
        action: text('The name of the action. Absent: it was an open.'),
        token: text('The device. Absent: the app has not named it, or there is none with this token.'),
        language: orNull(
          text(
            "The language that the device gets; null: the push's own text. Absent where the push has no `languages`, or no device is named.",
          ),
        ),
      },
      ['action', 'token', 'language'],
    ),
    example: {
      id: '019a9f7e-3c1b-7000-8000-000000000000',
      event: 'action',
      platform: '0',
      action: 'reply',
      token: '3f8a09c1'.repeat(8),
    },
  },
  'device.gone': {
    summary: 'A gateway declared a device gone: what GET /feedback lists',
    title: 'DeviceGoneEvent',
    data: objectSchema('DeviceGone', {
      token: text('The token that was declared gone.'),
      platform: platformSchema,
      reason: text('The word of APNs, FCM or the push service for it.'),
      at: time('When it said so.'),
    }),
    example: {
      token: '3f8a09c1'.repeat(8),
      platform: '0',
      reason: 'Unregistered',
      at: '2026-11-20T12:00:05.000Z',
    },
  },
  'credential.paused': {
    summary: 'A gateway refuses the credential, and pushes wait',
    title: 'CredentialPausedEvent',
    data: objectSchema('CredentialPaused', {
      provider,
      state: oneOf(['misconfigured'], 'What it is now.'),
      reason: text('The word of the gateway.'),
    }),
    example: { provider: 'apns', state: 'misconfigured', reason: 'InvalidProviderToken' },
  },
  'credential.resumed': {
    summary: 'The credential is good again',
    title: 'CredentialResumedEvent',
    data: objectSchema('CredentialResumed', { provider, state: oneOf(['ready'], 'What it is now.') }),
    example: { provider: 'apns', state: 'ready' },
  },
}

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
  Object.entries(EVENTS).map(([type, { summary, title, data, example }]) => {
    const schema = objectSchema(title, {
      type: oneOf([type], 'What happened.'),
      timestamp: time('When it happened.'),
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
        content: {
          'application/json': { schema, example: { type, timestamp: '2026-11-20T12:00:05.000Z', data: example } },
        },
      },
      responses: ANSWERS,
    }
    return [type, { post: operation }]
  }),
)
