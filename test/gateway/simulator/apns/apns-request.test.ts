import { describe, expect, test } from 'bun:test'
import { checkApnsRequest } from '../../../../src/gateway/simulator/apns/apns-request.ts'
import type { ApnsSender } from '../../../../src/gateway/simulator/apns/apns-request.ts'
import type { IncomingRequest } from '../../../../src/gateway/simulator/http2/reply.ts'

const TOKEN = 'ab'.repeat(32)
const SENDER: ApnsSender = { topics: ['com.example.app'], byCertificate: false }

type Changes = Partial<Omit<IncomingRequest, 'body' | 'headers'>> & {
  readonly body?: string
  readonly headers?: IncomingRequest['headers']
}

function check(changes: Changes = {}, sender: ApnsSender = SENDER): unknown {
  const request: IncomingRequest = {
    method: 'POST',
    path: `/3/device/${TOKEN}`,
    repeatedHeaders: false,
    ...changes,
    headers: { 'apns-topic': 'com.example.app', 'apns-push-type': 'alert', ...changes.headers },
    body: Buffer.from(changes.body ?? '{"aps":{"alert":"Hi"}}'),
  }
  return checkApnsRequest(request, () => sender)
}

const accepted = expect.objectContaining({ kind: 'notification' })
const fault = (reason: string) => ({ kind: 'fault', reason })

describe('a request in order', () => {
  test('gives its token in lower case, its topic and its payload', () => {
    expect(check({ path: `/3/device/${TOKEN.toUpperCase()}` })).toEqual({
      kind: 'notification',
      token: TOKEN,
      topic: 'com.example.app',
      payload: { aps: { alert: 'Hi' } },
    })
  })
})

describe('the request line', () => {
  test.each(['GET', 'PUT', 'DELETE', 'post'])('%s is MethodNotAllowed', (method) => {
    expect(check({ method })).toEqual(fault('MethodNotAllowed'))
  })

  test.each([
    '/',
    '/3/device',
    '/3/devices/ab',
    `/2/device/${TOKEN}`,
    `/3/device/${TOKEN}/x`,
    `/3/device/${TOKEN}?a=b`,
  ])('%s is BadPath', (path) => {
    expect(check({ path })).toEqual(fault('BadPath'))
  })

  test('a path that ends before the token is MissingDeviceToken', () => {
    expect(check({ path: '/3/device/' })).toEqual(fault('MissingDeviceToken'))
  })

  test.each(['abcd', 'g'.repeat(64), 'a'.repeat(63), 'a'.repeat(65), 'a'.repeat(202)])(
    'token %s is BadDeviceToken',
    (token) => {
      expect(check({ path: `/3/device/${token}` })).toEqual(fault('BadDeviceToken'))
    },
  )

  test('a token may be longer than 32 bytes', () => {
    expect(check({ path: `/3/device/${'a'.repeat(200)}` })).toEqual(accepted)
  })
})

describe('the headers', () => {
  test('a repeated one is DuplicateHeaders', () => {
    expect(check({ repeatedHeaders: true })).toEqual(fault('DuplicateHeaders'))
  })

  test.each([
    ['apns-id', '7f2c', 'BadMessageId'],
    ['apns-topic', undefined, 'MissingTopic'],
    ['apns-topic', 'com example', 'BadTopic'],
    ['apns-topic', 'x'.repeat(256), 'BadTopic'],
    ['apns-topic', 'com.example.other', 'TopicDisallowed'],
    ['apns-collapse-id', 'ü'.repeat(33), 'BadCollapseId'],
    ['apns-expiration', 'tomorrow', 'BadExpirationDate'],
    ['apns-expiration', '-1', 'BadExpirationDate'],
    ['apns-expiration', '1767225600000', 'BadExpirationDate'],
    ['apns-priority', '7', 'BadPriority'],
    ['apns-priority', 'high', 'BadPriority'],
    ['apns-push-type', 'loud', 'InvalidPushType'],
  ])('%s: %p is %s', (name, value, reason) => {
    expect(check({ headers: { [name]: value } })).toEqual(fault(reason))
  })

  test.each([
    ['apns-id', '7F2C5B6E-0A4D-4B53-9C63-4F0C0D0E0F01'],
    ['apns-topic', 'com.example.app.voip'],
    ['apns-collapse-id', 'ü'.repeat(32)],
    ['apns-expiration', '0'],
    ['apns-expiration', '1767225600'],
    ['apns-priority', '10'],
    ['apns-priority', '5'],
    ['apns-priority', '1'],
    ['apns-push-type', 'liveactivity'],
    ['apns-push-type', undefined],
  ])('%s: %p is accepted', (name, value) => {
    expect(check({ headers: { [name]: value } })).toEqual(accepted)
  })

  test('a background push must not have priority 10, which is also the default', () => {
    const background = { 'apns-push-type': 'background' }
    expect(check({ headers: background })).toEqual(fault('BadPriority'))
    expect(check({ headers: { ...background, 'apns-priority': '10' } })).toEqual(fault('BadPriority'))
    expect(check({ headers: { ...background, 'apns-priority': '5' } })).toEqual(accepted)
  })

  test('the topic may be left out by a certificate that has but one', () => {
    const headers = { 'apns-topic': undefined }
    const topics = ['com.example.app', 'com.example.app2']
    expect(check({ headers }, { topics: ['com.example.app'], byCertificate: true })).toMatchObject({
      topic: 'com.example.app',
    })
    expect(check({ headers }, { topics, byCertificate: true })).toEqual(fault('MissingTopic'))
  })
})

describe('the payload', () => {
  const sized = (bytes: number) => `{"aps":{"alert":"${'a'.repeat(bytes - 20)}"}}`

  test.each([
    ['4096 bytes', 4096, 'alert', accepted],
    ['4097 bytes', 4097, 'alert', fault('PayloadTooLarge')],
    ['5120 bytes of a VoIP push', 5120, 'voip', accepted],
    ['5121 bytes of a VoIP push', 5121, 'voip', fault('PayloadTooLarge')],
  ])('may have 4096 bytes, or 5120: %s', (_name, bytes, pushType, expected) => {
    expect(sized(bytes)).toHaveLength(bytes)
    expect(check({ body: sized(bytes), headers: { 'apns-push-type': pushType } })).toEqual(expected)
  })

  test.each([
    '',
    'hello',
    '[]',
    '"aps"',
    '{"aps":1}',
    '{"aps":{"badge":"1"}}',
    '{"aps":{"badge":1.5}}',
    '{"aps":{"alert":1}}',
    '{"aps":{"sound":true}}',
  ])('%p is PayloadEmpty', (body) => {
    expect(check({ body })).toEqual(fault('PayloadEmpty'))
  })

  test.each(['{}', '{"aps":{"badge":0}}', '{"aps":{"alert":{"title":"a"},"sound":{"critical":1}}}'])(
    '%s is accepted',
    (body) => {
      expect(check({ body })).toEqual(accepted)
    },
  )
})

describe('the sender', () => {
  const refuse = (changes: Partial<IncomingRequest>): unknown =>
    checkApnsRequest(
      {
        method: 'POST',
        path: '/3/device/nonsense',
        headers: {},
        repeatedHeaders: false,
        body: Buffer.of(),
        ...changes,
      },
      () => 'InvalidProviderToken',
    )

  test('is checked before topic, token and payload', () => {
    expect(refuse({})).toEqual({ kind: 'fault', reason: 'InvalidProviderToken' })
  })

  test('is checked after method and path', () => {
    expect(refuse({ method: 'GET' })).toEqual({ kind: 'fault', reason: 'MethodNotAllowed' })
    expect(refuse({ path: '/4' })).toEqual({ kind: 'fault', reason: 'BadPath' })
  })
})
