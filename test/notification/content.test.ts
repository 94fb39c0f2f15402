import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Refused } from '../../src/failure.ts'
import { checkApnsRequest } from '../../src/gateway/simulator/apns/apns-request.ts'
import { checkFcmMessage } from '../../src/gateway/simulator/fcm/fcm-message.ts'
import { bodyOf } from '../../src/http/fields.ts'
import { apnsBytes, renderApns } from '../../src/notification/apns-render.ts'
import { checkContent, contentFields, notificationOf } from '../../src/notification/content-schema.ts'
import { fcmBytes, renderFcm } from '../../src/notification/fcm-render.ts'
import { timeToLiveMs } from '../../src/notification/notification.ts'
import type { Notification } from '../../src/notification/notification.ts'

const PUSH = '01890a5d-ac96-774b-bcce-b302099a8057'
const NOW = 1_800_000_000_000
const TOKEN = 'ab'.repeat(32)

const content = bodyOf(contentFields, (input) => {
  const notification = notificationOf(input)
  checkContent(notification)
  return notification
})

/** `null`: refused. */
function read(body: object): Notification | null {
  try {
    return content['~standard'].validate(body).value
  } catch (error) {
    if (error instanceof Refused) return null
    throw error
  }
}

/** What the stand-ins of both gateways say of it. */
function verdictsOn(notification: Notification): unknown[] {
  const message = { push: PUSH, notification, expiresAt: NOW + timeToLiveMs(notification) }
  const apns = renderApns(message)
  const request = {
    method: 'POST',
    path: `/3/device/${TOKEN}`,
    repeatedHeaders: false,
    headers: {
      'apns-topic': 'com.example.app',
      'apns-push-type': apns.pushType,
      'apns-priority': apns.priority,
      'apns-expiration': apns.expiration,
      'apns-collapse-id': apns.collapseId,
    },
    body: Buffer.from(apns.body(notification.badge === null ? null : 7)),
  }
  return [
    checkApnsRequest(request, () => ({ topics: ['com.example.app'], byCertificate: false })),
    checkFcmMessage(renderFcm(message).body('some:token', notification.badge === null ? null : 7, NOW)),
  ]
}

/** Values as they come from callers: mostly right, and sometimes anything. */
function field(right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 40, arbitrary: right }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) })
}
const text = fc.string({ unit: 'grapheme', maxLength: 20 })
const flag = fc.constantFrom(false, 'false', 0, '0', false, 'false', true, 'true', 1, '1')
const key = fc.constantFrom('alert', 'sound', 'category', 'thread-id', '__proto__', 'more')
const androidKey = fc.constantFrom('title', 'body', 'tag', 'channelId', 'channel_id', 'clickAction')
const bodies = fc.record(
  {
    msg: field(text),
    sound: field(text),
    badge: field(fc.constantFrom('', '+1', '5')),
    payload: field(fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }))),
    title: field(text),
    subtitle: field(text),
    image: field(fc.webUrl({ validSchemes: ['https'] })),
    category: field(text),
    thread: field(text),
    collapse: field(text),
    ttl: field(fc.integer({ min: 0, max: 2_419_200 })),
    priority: field(fc.constantFrom('high', 'normal')),
    silent: field(flag),
    mutable: field(flag),
    interruption: field(fc.constantFrom('passive', 'active', 'time-sensitive', 'critical')),
    channel: field(text),
    link: field(fc.webUrl()),
    actions: field(fc.array(field(fc.record({ action: field(text), title: field(text), link: field(fc.webUrl()) })))),
    apns: field(fc.record({ aps: field(fc.dictionary(key, field(text))), more: fc.jsonValue() }, { requiredKeys: [] })),
    fcm: field(
      fc.record(
        {
          notification: field(fc.record({ title: field(text) })),
          data: field(fc.dictionary(text, field(text))),
          android: field(
            fc.record({
              priority: field(fc.constantFrom('high', 'NORMAL')),
              notification: field(fc.dictionary(androidKey, field(text))),
            }),
          ),
          fcm_options: field(fc.record({ analyticsLabel: fc.constant('a') })),
        },
        { requiredKeys: [] },
      ),
    ),
  },
  { requiredKeys: [] },
)

describe('the content of a push', () => {
  test('is refused at once, or taken by both gateways', () => {
    let taken = 0
    fc.assert(
      fc.property(bodies, (body) => {
        const wanted = read(body)
        if (wanted === null) return
        const notification = { ...wanted, carriesId: true } as const
        if (apnsBytes(notification) > 4096 || fcmBytes(notification) > 4096) return
        taken++
        const [apns, fcm] = verdictsOn(notification)
        expect(apns).toMatchObject({ kind: 'notification' })
        expect(fcm).toMatchObject({ kind: 'message', token: 'some:token' })
      }),
      { numRuns: 4000 },
    )
    expect(taken).toBeGreaterThan(50)
  })

  test('has every key of its payload at both gateways, whatever it is called and whatever is in it', () => {
    const names = fc.oneof(
      fc.constantFrom(
        'image',
        'link',
        'title',
        'badge',
        'bellhop',
        'data',
        'alert',
        '__proto__',
        'constructor',
        'toString',
      ),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
    )
    let carried = 0
    fc.assert(
      fc.property(bodies, fc.dictionary(names, fc.jsonValue({ maxDepth: 3 }), { minKeys: 1 }), (body, payload) => {
        // What is raw goes over the payload, as it says.
        const wanted = read({ ...body, payload, apns: {}, fcm: {} })
        if (wanted === null) return
        const notification = { ...wanted, carriesId: true } as const
        const message = { push: PUSH, notification, expiresAt: NOW + timeToLiveMs(notification) }
        const badge = notification.badge === null ? null : 7
        // As JSON has it, where there is one zero.
        const entries = Object.entries(JSON.parse(JSON.stringify(payload)) as object)
        const atApns = new Map(Object.entries(JSON.parse(renderApns(message).body(badge)) as object))
        const atFcm = new Map(
          Object.entries(JSON.parse(renderFcm(message).body('some:token', badge, NOW)).message.data as object),
        )
        for (const [key, value] of entries) {
          carried++
          expect([key, atApns.get(key)]).toEqual([key, value])
          // FCM has no null: an app asks for a key that is not there.
          const text = value === null ? undefined : typeof value === 'string' ? value : JSON.stringify(value)
          expect([key, atFcm.get(key)]).toEqual([key, text])
        }
      }),
      { numRuns: 1500 },
    )
    expect(carried).toBeGreaterThan(50)
  })

  test('is the same after it was stored', () => {
    fc.assert(
      fc.property(bodies, (body) => {
        const notification = read(body)
        const stored = JSON.stringify(notification)
        if (notification !== null) expect(JSON.stringify(JSON.parse(stored))).toBe(stored)
      }),
    )
  })

  test('takes as much room in the database as before where nothing more is said', () => {
    const empty = { title: '', silent: false, apns: {}, fcm: [], ttl: null }
    expect(JSON.stringify(read({ msg: 'Hello', sound: '', badge: '', ...empty }))).toBe(
      '{"msg":"Hello","sound":null,"badge":null,"payload":null}',
    )
  })
})

test.each([
  [undefined, 86_400_000],
  [60, 60_000],
  [2_419_200, 2_419_200_000],
  [0, 60_000],
])('a push with a ttl of %p s is tried for %d ms', (ttl, expected) => {
  const notification = { msg: 'Hello', sound: null, badge: null, payload: null, ...(ttl !== undefined && { ttl }) }
  expect(timeToLiveMs(notification)).toBe(expected)
})
