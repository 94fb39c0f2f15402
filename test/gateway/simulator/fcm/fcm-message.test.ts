import { describe, expect, test } from 'bun:test'
import { checkFcmMessage } from '../../../../src/gateway/simulator/fcm/fcm-message.ts'

const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest'
const FCM_ERROR = { '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: 'INVALID_ARGUMENT' }

function checkText(text: string): unknown {
  return checkFcmMessage(text)
}

function check(message: object, outside: object = {}): unknown {
  return checkText(JSON.stringify({ ...outside, message }))
}

/** What Google's front end says: only field violations. */
function unreadable(message: string, field?: string): unknown {
  const violation = field === undefined ? { description: message } : { field, description: message }
  const details = [{ '@type': BAD_REQUEST, fieldViolations: [violation] }]
  return { kind: 'fault', error: { code: 400, message, status: 'INVALID_ARGUMENT', details } }
}

/** What FCM itself says. */
function rejected(message: string, field: string): unknown {
  const details = [{ '@type': BAD_REQUEST, fieldViolations: [{ field, description: message }] }, FCM_ERROR]
  return { kind: 'fault', error: { code: 400, message, status: 'INVALID_ARGUMENT', details } }
}

const accepted = expect.objectContaining({ kind: 'message' })

describe('a message in order', () => {
  test('gives its token, its tag and the whole body', () => {
    const message = { token: 'abc', android: { notification: { tag: 'news' } } }
    expect(check(message)).toEqual({
      isFid: false,
      kind: 'message',
      token: 'abc',
      tag: 'news',
      validateOnly: false,
      body: { message },
    })
  })

  test('may use every field of the reference', () => {
    const message = {
      token: 'abc',
      data: { a: 'b' },
      notification: { title: 'a', body: 'b', image: 'https://example.com/a.png' },
      android: {
        collapse_key: 'a',
        priority: 'HIGH',
        ttl: '2419200s',
        restricted_package_name: 'com.example.app',
        data: { a: 'b' },
        direct_boot_ok: true,
        notification: { body: 'b', sound: 'default', channel_id: 'c', notification_count: 3, tag: 't' },
        fcm_options: { analytics_label: 'a' },
      },
      apns: { headers: { 'apns-priority': '5' }, payload: { aps: { badge: 1 } } },
      fcm_options: { analytics_label: 'a' },
    }
    expect(check(message)).toEqual(accepted)
  })

  test('may be only for checking', () => {
    expect(check({ token: 'abc' }, { validate_only: true })).toMatchObject({ validateOnly: true })
    expect(check({ token: 'abc' }, { validateOnly: true })).toMatchObject({ validateOnly: true })
  })
})

describe('a body that cannot be read', () => {
  test.each(['', 'hello', '[]', '{"message":'])('is refused: %p', (text) => {
    expect(checkText(text)).toEqual(unreadable('Invalid JSON payload received. Unexpected token.'))
  })

  test('with a field that does not exist is refused, naming the place', () => {
    const text = `Invalid JSON payload received. Unknown name "toen" at 'message': Cannot find field.`
    expect(check({ toen: 'abc' })).toEqual(unreadable(text, 'message'))
  })

  test('with data that is not text is refused, naming the entry', () => {
    const text = "Invalid value at 'message.data[1].value' (TYPE_STRING), 5"
    expect(check({ token: 'abc', data: { a: 'b', c: 5 } })).toEqual(unreadable(text, 'message.data[1].value'))
  })

  test('with two recipients is refused', () => {
    const text = "Invalid value at 'message' (oneof), oneof field 'target' is already set. Cannot set 'topic'"
    expect(check({ token: 'abc', topic: 'news' })).toEqual(unreadable(text, 'message'))
  })

  test('lists all that is wrong, one a line', () => {
    expect(check({ token: 5, data: { a: 1 } })).toMatchObject({
      error: {
        message:
          "Invalid value at 'message.token' (TYPE_STRING), 5\nInvalid value at 'message.data[0].value' (TYPE_STRING), 1",
      },
    })
  })
})

describe('a message that FCM rejects', () => {
  test.each([{}, { token: '' }, { token: null }])('has no recipient: %j', (message) => {
    expect(check(message)).toEqual(rejected('Recipient of the message is not set.', 'message'))
  })

  test('is the lack of one', () => {
    expect(checkText('{}')).toEqual(rejected('Recipient of the message is not set.', 'message'))
  })

  test.each(['from', 'message_type', 'google.a', 'googles', 'gcm.notification.a', 'gcm.x', 'gcm'])(
    'has the reserved data key %s',
    (key) => {
      const text = `Invalid data payload key: ${key}`
      expect(check({ token: 'abc', data: { [key]: 'x' } })).toEqual(rejected(text, 'message.data'))
      expect(check({ token: 'abc', android: { data: { [key]: 'x' } } })).toEqual(rejected(text, 'message.android.data'))
    },
  )

  test.each(['from_me', 'message_types', 'Google', 'my_gcm'])('has not the reserved key %s', (key) => {
    expect(check({ token: 'abc', data: { [key]: 'x' } })).toEqual(accepted)
  })

  test.each(['-1s', '2419201s'])('has a time to live of %s', (ttl) => {
    const text = 'TTL must be a duration between 0 and 2419200 seconds.'
    expect(check({ token: 'abc', android: { ttl } })).toEqual(rejected(text, 'message.android.ttl'))
  })

  test('has more than 4096 bytes in keys and values; the list of fields is then left out', () => {
    const withBytes = (bytes: number) => check({ token: 'abc', data: { key: 'ü'.repeat((bytes - 3) / 2) } })
    expect(withBytes(4095)).toEqual(accepted)
    expect(check({ token: 'abc', data: { key: 'x'.repeat(4093) } })).toEqual(accepted)
    expect(withBytes(4097)).toEqual({
      kind: 'fault',
      error: {
        code: 400,
        message: 'Android message is too big',
        status: 'INVALID_ARGUMENT',
        details: [{ '@type': BAD_REQUEST }, FCM_ERROR],
      },
    })
  })

  test('counts the notification to its size', () => {
    const body = 'x'.repeat(2000)
    const message = { token: 'abc', notification: { body }, android: { notification: { body } } }
    expect(check({ ...message, data: { key: 'x'.repeat(80) } })).toEqual(accepted)
    expect(check({ ...message, data: { key: 'x'.repeat(100) } })).toMatchObject({
      error: { message: 'Android message is too big' },
    })
  })

  test('has an installation ID as its token, or something else as its installation ID', () => {
    const fid = 'ctmBeCwtQDuDsClbyr6d3z'
    expect(check({ fid })).toMatchObject({ kind: 'message', token: fid, isFid: true })
    const ofField = (field: string) => ({ error: { details: [FCM_ERROR, { fieldViolations: [{ field }] }] } })
    expect(check({ token: fid })).toMatchObject(ofField('message.token'))
    for (const other of ['abc', `${fid}:APA91b`, `g${fid.slice(1)}`]) {
      expect(check({ fid: other })).toMatchObject(ofField('message.fid'))
    }
  })

  test.each(['a b', 'a\nb', 'ü', 'x'.repeat(4097)])('has a token that is none: %p', (token) => {
    const message = 'The registration token is not a valid FCM registration token'
    expect(check({ token })).toEqual({
      kind: 'fault',
      error: {
        code: 400,
        message,
        status: 'INVALID_ARGUMENT',
        details: [
          FCM_ERROR,
          { '@type': BAD_REQUEST, fieldViolations: [{ field: 'message.token', description: message }] },
        ],
      },
    })
  })
})

describe('the part for APNs', () => {
  const refusedBy = (status: number, reason: string) => ({
    kind: 'fault',
    error: {
      code: 400,
      message: `APNs refuses the message: ${reason}`,
      status: 'INVALID_ARGUMENT',
      details: [
        FCM_ERROR,
        { '@type': 'type.googleapis.com/google.firebase.fcm.v1.ApnsError', statusCode: status, reason },
      ],
    },
  })

  test.each([
    ['BadPriority', { 'apns-priority': '3' }],
    ['BadPriority', { 'apns-push-type': 'background', 'apns-priority': '10' }],
    ['InvalidPushType', { 'apns-push-type': 'loud' }],
    ['BadExpirationDate', { 'apns-expiration': 'tomorrow' }],
    ['BadCollapseId', { 'apns-collapse-id': 'x'.repeat(65) }],
    ['BadCollapseId', { 'Apns-Collapse-Id': 'x'.repeat(65) }],
  ])('is refused as %s for headers %j', (reason, headers) => {
    expect(check({ token: 'abc', apns: { headers } })).toEqual(refusedBy(400, reason))
  })

  test('is refused for an aps that no phone understands', () => {
    expect(check({ token: 'abc', apns: { payload: { aps: { badge: '3' } } } })).toEqual(refusedBy(400, 'PayloadEmpty'))
  })

  test('may have 4096 bytes with data beside it, and no more', () => {
    const withBytes = (bytes: number) =>
      check({ token: 'abc', data: { a: 'x'.repeat(1000) }, apns: { payload: { b: 'y'.repeat(bytes - 1015) } } })
    expect(withBytes(4096)).toEqual(accepted)
    expect(withBytes(4097)).toEqual(refusedBy(413, 'PayloadTooLarge'))
  })

  test('has the name by which an iPhone shows one instead of two', () => {
    expect(check({ token: 'abc', apns: { headers: { 'apns-collapse-id': 'news' } } })).toMatchObject({ tag: 'news' })
  })

  test('a link for browsers must be https', () => {
    for (const webpush of [{ fcm_options: { link: 'http://a.example' } }, { fcmOptions: { link: 'shop:1' } }]) {
      expect(check({ token: 'abc', webpush })).toEqual(
        rejected('Link must be an HTTPS URL.', 'message.webpush.fcm_options.link'),
      )
    }
    expect(check({ token: 'abc', webpush: { fcm_options: { link: 'https://a.example' } } })).toEqual(accepted)
  })
})
