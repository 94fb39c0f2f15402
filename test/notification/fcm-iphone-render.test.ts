import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { MAX_BADGE } from '../../src/device/badge.ts'
import { checkFcmMessage } from '../../src/gateway/simulator/fcm/fcm-message.ts'
import { apnsHeaders, renderApns } from '../../src/notification/apns-render.ts'
import { fcmIphoneBytes, renderFcm } from '../../src/notification/fcm-render.ts'
import type { Notification } from '../../src/notification/notification.ts'
import type { JsonObject } from '../../src/text/json-object.ts'

const PUSH = '01890a5d-ac96-774b-bcce-b302099a8057'
const NOTHING: Notification = { msg: null, sound: null, badge: null, payload: null }
const NOW = 1_700_000_000_000
const EXPIRES_AT = NOW + 3_600_000

function textOf(notification: Partial<Notification>, badge: number | null = null): string {
  const rendered = renderFcm({ push: PUSH, notification: { ...NOTHING, ...notification }, expiresAt: EXPIRES_AT })
  return rendered.body('some:token', badge, NOW, 'ios')
}

function messageOf(notification: Partial<Notification>, badge: number | null = null): JsonObject {
  return (JSON.parse(textOf(notification, badge)) as { message: JsonObject }).message
}

/** What APNs would get directly. */
function direct(notification: Partial<Notification>, badge: number | null = null) {
  const rendered = renderApns({ push: PUSH, notification: { ...NOTHING, ...notification }, expiresAt: EXPIRES_AT })
  const { 'apns-topic': _, ...headers } = apnsHeaders(rendered, 'com.example', undefined)
  return { headers, payload: JSON.parse(rendered.body(badge)) as JsonObject }
}

describe('a push for an iPhone behind FCM', () => {
  test.each<[name: string, Partial<Notification>, badge: number | null]>([
    ['text', { msg: 'Hello' }, null],
    [
      'title, text, sound and badge',
      { title: 'Hi', subtitle: 'Order 17', msg: 'Hello', sound: 'chime', badge: { add: 1 } },
      7,
    ],
    ['a badge alone', { badge: { set: 0 } }, 0],
    ['nothing to see', { silent: true }, null],
    ['now or never', { msg: 'Hello', ttl: 0 }, null],
    ['no haste', { msg: 'Hello', priority: 'normal' }, null],
    [
      'category, thread and interruption',
      { msg: 'Hello', category: 'ORDER', thread: 'orders', interruption: 'time-sensitive' },
      null,
    ],
    ['a relevance score', { msg: 'Hello', relevance_score: 0.5 }, null],
    ['a critical sound', { msg: 'Hello', sound: 'siren', interruption: 'critical' }, null],
    ['a picture', { msg: 'Hello', image: 'https://example.com/a.png' }, null],
    ['a name', { msg: 'Hello', collapse: 'order-17' }, null],
    ['keys for Apple', { msg: 'Hello', apns: { aps: { 'relevance-score': 0.5 }, own: { a: 1 } } }, null],
  ])('with %s has headers and payload as APNs gets them', (_name, notification, badge) => {
    expect(messageOf(notification, badge)['apns']).toMatchObject(direct(notification, badge))
  })

  test('has nothing for Android, and of the payload what Android gets', () => {
    const notification = { msg: 'Hello', payload: { id: 5, none: null }, link: 'shop:17', carriesId: true } as const
    expect(messageOf(notification)).toEqual({
      token: 'some:token',
      data: { bellhop: `{"push":"${PUSH}"}`, id: '5', link: 'shop:17' },
      apns: { headers: direct(notification).headers, payload: { aps: { alert: 'Hello' } } },
    })
  })

  test('shows a picture also by the extension of Firebase', () => {
    const image = 'https://example.com/a.png'
    expect(messageOf({ msg: 'Hello', image })['apns']).toMatchObject({
      payload: { aps: { alert: 'Hello', 'mutable-content': 1 }, image },
      fcm_options: { image },
    })
  })

  test('follows what was said in fcm, and in its apns last', () => {
    const fcm = {
      notification: { title: 'For Firebase' },
      android: { notification: { color: '#0b6e4f' } },
      fcm_options: { analytics_label: 'spring' },
      apns: {
        headers: { 'apns-priority': '5' },
        payload: { aps: { badge: 3, sound: 'other' }, own: 1 },
        fcmOptions: { analytics_label: 'apple' },
      },
    }
    expect(messageOf({ msg: 'Hello', sound: 'chime', fcm })).toEqual({
      token: 'some:token',
      fcm_options: { analytics_label: 'spring' },
      apns: {
        headers: { ...direct({ msg: 'Hello' }).headers, 'apns-priority': '5' },
        payload: { aps: { alert: { title: 'For Firebase', body: 'Hello' }, sound: 'other', badge: 3 }, own: 1 },
        fcm_options: { analytics_label: 'apple' },
      },
    })
  })

  test('has the count of the device, whatever fcm says', () => {
    const fcm = { apns: { payload: { aps: { badge: 3 } } } }
    expect(textOf({ badge: { add: 1 }, fcm }, 8).match(/"badge":\d+/g)).toEqual(['"badge":8'])
  })

  test('counts what APNs gets of it', () => {
    const notification: Notification = {
      ...NOTHING,
      msg: 'Grüße',
      badge: { add: 1 },
      image: 'https://example.com/a.png',
      payload: { a: 'b' },
    }
    const { data, apns } = messageOf(notification, MAX_BADGE) as { data: JsonObject; apns: JsonObject }
    const { payload, fcm_options } = apns
    const merged = { ...(payload as JsonObject), ...data, fcm_options }
    expect(fcmIphoneBytes(notification)).toBe(Buffer.byteLength(JSON.stringify(merged)))
  })

  test('that withdraws another push is silent, and says so in data alone', () => {
    const withdraws = { withdrawn: PUSH, tag: 'order-17' }
    const { data, apns } = messageOf({ withdraws, carriesId: true })
    expect(data).toEqual({ bellhop: JSON.stringify(withdraws) })
    expect(apns).toMatchObject({
      headers: { 'apns-push-type': 'background', 'apns-priority': '5' },
      payload: { aps: { 'content-available': 1 } },
    })
    expect((apns as JsonObject)['payload']).toEqual({ aps: { 'content-available': 1 } })
  })

  test('is always one that FCM takes', () => {
    const text = fc.string({ maxLength: 20 })
    const notifications = fc.record({
      msg: fc.option(text, { nil: null }),
      sound: fc.option(text, { nil: null }),
      badge: fc.option(fc.constant({ add: 1 }), { nil: null }),
      payload: fc.option(fc.dictionary(fc.stringMatching(/^x[a-z]{1,5}$/), fc.jsonValue()), { nil: null }),
    })
    fc.assert(
      fc.property(notifications, fc.nat(99), (notification, badge) => {
        const text = textOf(notification, notification.badge === null ? null : badge)
        expect(checkFcmMessage(text)).toMatchObject({ kind: 'message' })
      }),
    )
  })
})
