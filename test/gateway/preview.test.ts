import { expect, test } from 'bun:test'
import { previewApns, previewFcm, previewWebPush } from '../../src/gateway/preview.ts'

const PUSH = '019a9f7e-3c1b-7000-8000-000000000000'
const MESSAGE = {
  push: PUSH,
  notification: { msg: 'Hello', sound: null, badge: null, payload: null },
  expiresAt: 1_800_086_400_000,
}
const RECIPIENT = { device: 17, token: 'abc', environment: null, badge: 3 }

const HEADERS = {
  'apns-push-type': 'alert',
  'apns-priority': '10',
  'apns-expiration': '1800086400',
  'apns-collapse-id': PUSH,
  'apns-id': '019a9f7e-3c1b-8000-8000-000000000011',
}

test('a preview for APNs has what is sent, without the token that it is signed with', () => {
  expect(previewApns(MESSAGE, RECIPIENT, { topic: 'com.example.app', signed: true })).toEqual({
    headers: { 'apns-topic': 'com.example.app', ...HEADERS, authorization: 'bearer …' },
    body: '{"aps":{"alert":"Hello","badge":3}}',
  })
})

test('with a certificate there is no authorization, and without a credential no topic', () => {
  const certified = previewApns(MESSAGE, RECIPIENT, { topic: 'com.example.app', signed: false })
  expect(certified.headers).toEqual({ 'apns-topic': 'com.example.app', ...HEADERS })
  expect(previewApns(MESSAGE, RECIPIENT, null).headers).toEqual({ ...HEADERS, authorization: 'bearer …' })
})

test('a preview for FCM keeps the message for as long as it would be sent now', () => {
  const body = JSON.parse(previewFcm(MESSAGE, RECIPIENT, MESSAGE.expiresAt - 60_000))
  expect(body.message).toMatchObject({ token: 'abc', android: { ttl: '60s', notification: { notification_count: 3 } } })
})

test('a preview for a browser has the message as it reads it, and what the push service is told', () => {
  const { headers, body } = previewWebPush(MESSAGE, RECIPIENT, MESSAGE.expiresAt - 60_000)
  expect(headers).toEqual({
    authorization: 'vapid …',
    ttl: '60',
    urgency: 'high',
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    'accept-encoding': 'identity',
  })
  expect(JSON.parse(body)).toEqual({
    notification: { title: 'Hello', tag: PUSH },
    app_badge: 3,
  })
})
