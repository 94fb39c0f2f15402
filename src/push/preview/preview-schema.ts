import { token } from '../../device/device-fields.ts'
import { count, listOf, mapOf, objectSchema, orNull, platformSchema, shownAs, text } from '../../http/answer-schema.ts'
import type { AnswerSchema } from '../../http/answer-schema.ts'
import type { Body, Given, JsonSchema } from '../../http/fields.ts'
import { NO_ID } from '../../notification/notification.ts'
import { passed } from '../push-schema.ts'
import type { PushBodies } from '../push-schema.ts'
import { PLATFORM, PLATFORMS } from '../../platform.ts'
import type { Platform } from '../../platform.ts'

type ValueOf<B> = B extends Body<infer T> ? T : never

export type PushBody = ValueOf<PushBodies[keyof PushBodies]>

/** Swagger UI would put an example into every body that it generates. */
const { example: _, ...TOKEN } = token.schema

/** The body of /push/one if there is a token, even an empty one, else that of /push/all. */
export function previewBody({ toAll, toOne }: PushBodies): Body<PushBody> {
  const { required: _required, ...rest } = toOne.schema
  return {
    schema: { ...rest, properties: { ...propertiesOf(toOne), ...propertiesOf(toAll), token: TOKEN } },
    '~standard': {
      version: 1,
      vendor: 'bellhop',
      validate(value) {
        const { token = null } = value as Given
        return (token === null ? toAll : toOne)['~standard'].validate(value)
      },
    },
  }
}

function propertiesOf({ schema }: Body<unknown>): JsonSchema {
  return schema['properties'] as JsonSchema
}

const body: AnswerSchema<object> = {
  type: 'object',
  additionalProperties: true,
  description: 'As sent to the gateway.',
}
const bytes = count('Of the body without the token; 4096 are allowed.')

const PREVIEWED = objectSchema('PreviewedBody', { body, bytes })
const request = orNull(PREVIEWED)
const headers = mapOf(text(), 'By name.')

const OPTIONAL = PLATFORMS.filter((platform) => PLATFORM[platform].isOptional)

function countOn(platform: Platform): AnswerSchema<number> {
  return count(`On ${PLATFORM[platform].name}${OPTIONAL.includes(platform) ? '; absent where it is 0' : ''}.`)
}

const PREVIEW_SHAPE = objectSchema(
  'PushPreview',
  {
    t: count('Devices the push would address now.'),
    platforms: objectSchema(
      'PlatformCounts',
      Object.fromEntries(PLATFORMS.map((platform) => [platform, countOn(platform)])),
      OPTIONAL.map(String),
    ),
    passed,
    sample: listOf(
      objectSchema('SampleDevice', {
        token: text('Its token.'),
        platform: platformSchema,
        alias: orNull(text('Its alias.')),
      }),
      'Up to 5 devices of each platform.',
    ),
    apns: orNull({
      ...objectSchema('ApnsRequest', { headers, body, bytes }),
      description: 'The request to APNs for the first. null if the push does not go to iOS.',
    }),
    fcm: orNull({
      ...objectSchema('FcmRequest', { body, bytes }),
      description: 'The request to FCM for the first. null if the push does not go to Android.',
    }),
    webpush: {
      ...objectSchema('WebPushRequest', {
        headers,
        body: { ...body, description: 'As the browser decrypts it.' },
        bytes: count('Of the encrypted body, without padding; 4096 are allowed.'),
      }),
      description: 'The request to the push service for the first. Absent if the push does not go to browsers.',
    },
    languages: listOf(
      objectSchema(
        'PreviewedLanguage',
        {
          language: orNull(text("Its tag. null: the push's own text.")),
          t: count('Devices that get it, by their current locale.'),
          apns: { ...request, description: 'For the same device as above, in this language.' },
          fcm: request,
          webpush: { ...PREVIEWED, description: 'Absent where the push does not go to browsers.' },
        },
        ['webpush'],
      ),
      "The push's own text first, then each language. Absent without `languages`.",
    ),
  },
  ['passed', 'webpush', 'languages'],
)

export const PREVIEW = shownAs(PREVIEW_SHAPE, {
  t: 2,
  platforms: { '0': 1, '1': 1 },
  sample: [
    { token: '3f8a09c1'.repeat(8), platform: '0', alias: 'front-desk' },
    { token: 'registration-id', platform: '1', alias: null },
  ],
  apns: {
    headers: {
      'apns-topic': 'com.example.app',
      'apns-push-type': 'alert',
      'apns-priority': '10',
      'apns-expiration': '1795255200',
      'apns-collapse-id': NO_ID,
      'apns-id': '00000000-0000-8000-8000-000000000011',
      authorization: 'bearer …',
    },
    body: { aps: { alert: 'Hello', sound: 'default', badge: 1 }, bellhop: { push: NO_ID } },
    bytes: 111,
  },
  fcm: {
    body: {
      message: {
        token: 'registration-id',
        notification: { body: 'Hello' },
        data: { bellhop: `{"push":"${NO_ID}"}` },
        android: {
          priority: 'high',
          notification: { tag: NO_ID, sound: 'default', notification_count: 1 },
          ttl: '86400s',
        },
      },
    },
    bytes: 292,
  },
})
