import { describe, expect, test } from 'bun:test'
import type { PushServiceMaker } from '../../src/device/webpush/push-services.ts'
import type { Message, Notification } from '../../src/notification/notification.ts'
import { renderWebPush, webPushBytes, webPushHeaders } from '../../src/notification/webpush-render.ts'

const PUSH = '01890a5d-ac96-774b-bcce-b302099a8057'
const EMPTY: Notification = { msg: null, sound: null, badge: null, payload: null }

const render = (notification: Partial<Notification>, expiresAt = 86_400_000) =>
  renderWebPush({ push: PUSH, notification: { ...EMPTY, ...notification }, expiresAt } satisfies Message)
const bodyOf = (notification: Partial<Notification>, badge: number | null = null): unknown =>
  JSON.parse(render(notification).body(badge))

describe('the body for a browser', () => {
  test('is a declarative push message', () => {
    const body = bodyOf({
      title: 'Corner Shop',
      msg: 'Your parcel is here',
      image: 'https://shop.example/parcel.png',
      link: 'https://shop.example/orders/7',
      collapse: 'order-7',
      payload: { order: 7 },
    })
    expect(body).toEqual({
      web_push: 8030,
      notification: {
        title: 'Corner Shop',
        body: 'Your parcel is here',
        navigate: 'https://shop.example/orders/7',
        image: 'https://shop.example/parcel.png',
        tag: 'order-7',
        data: { order: 7 },
      },
    })
  })

  test('has the text for a title where there is none, and replaces its own repeats', () => {
    expect(bodyOf({ msg: 'Hello', link: 'https://shop.example/' })).toEqual({
      web_push: 8030,
      notification: { title: 'Hello', navigate: 'https://shop.example/', tag: PUSH },
    })
  })

  test('is not declarative without a link, since an address that is not absolute is none', () => {
    expect(bodyOf({ msg: 'Hello' }, 2)).toEqual({ notification: { title: 'Hello', tag: PUSH }, app_badge: 2 })
    expect(bodyOf({ title: 'Hello' })).toMatchObject({ notification: { title: 'Hello' } })
  })

  test('has its buttons, which open what the push does where they have no link of their own', () => {
    const track = { action: 'track', title: 'Track it', link: 'https://shop.example/track/7' }
    const actions = [track, { action: 'later', title: 'Later' }]
    const buttonsOf = (notification: Partial<Notification>) =>
      (bodyOf({ msg: 'Hello', actions, ...notification }) as { notification: { actions: unknown } }).notification
        .actions
    const tracked = { action: 'track', title: 'Track it', navigate: 'https://shop.example/track/7' }
    const later = { action: 'later', title: 'Later' }
    expect(buttonsOf({ link: 'https://shop.example/7' })).toEqual([
      tracked,
      { ...later, navigate: 'https://shop.example/7' },
    ])
    expect(buttonsOf({})).toEqual([tracked, later])
  })

  test('carries the badge, and the id of the push where the application reports opens', () => {
    const link = 'https://shop.example/'
    expect(bodyOf({ msg: 'Hello', link, badge: { set: 3 }, carriesId: true }, 3)).toEqual({
      web_push: 8030,
      // There iOS 18.4 and 18.5 look for the badge.
      notification: { title: 'Hello', navigate: link, tag: PUSH, data: { bellhop: { push: PUSH } }, app_badge: 3 },
      app_badge: 3,
    })
    expect(bodyOf({ badge: { set: 0 } }, 0)).toEqual({ app_badge: 0 })
  })

  test('is for a service worker alone where nothing is to be seen', () => {
    expect(bodyOf({ silent: true, payload: { sync: 'orders' } })).toEqual({ data: { sync: 'orders' } })
    expect(bodyOf({ link: 'https://shop.example/' })).toEqual({ link: 'https://shop.example/' })
    expect(bodyOf({})).toEqual({})
  })

  test('is measured with the largest badge', () => {
    const notification: Notification = { ...EMPTY, msg: 'é', badge: { add: 1 }, link: 'https://shop.example/' }
    expect(webPushBytes(notification)).toBe(Buffer.byteLength(render(notification).body(2_147_483_647)))
    expect(webPushBytes({ ...EMPTY, badge: { set: 7 } })).toBe('{"app_badge":7}'.length)
  })
})

describe('the headers for a push service', () => {
  test('ask for urgency where something is shown, or as the push says', () => {
    expect(render({ msg: 'Hello' }).urgency).toBe('high')
    expect(render({ payload: { a: 1 } }).urgency).toBe('normal')
    expect(render({ msg: 'Hello', priority: 'normal' }).urgency).toBe('normal')
    expect(render({ payload: { a: 1 }, priority: 'high' }).urgency).toBe('high')
  })

  test('have a topic only where the push collapses, of 32 characters of base64url at the most', () => {
    expect(render({ msg: 'Hello' }).topic).toBeNull()
    expect(render({ msg: 'Hello', collapse: 'order-7_' }).topic).toBe('order-7_')
    expect(render({ collapse: 'a'.repeat(32) }).topic).toBe('a'.repeat(32))
    const long = render({ collapse: 'a'.repeat(33) }).topic
    expect(long).toMatch(/^[\w-]{32}$/)
    expect(render({ collapse: 'a b' }).topic).toMatch(/^[\w-]{32}$/)
    expect(render({ collapse: 'a'.repeat(34) }).topic).not.toBe(long)
  })

  test('have a topic of a length that base64 has, for a collapse id of each length, and the same one for the same id', () => {
    const ids = Array.from({ length: 64 }, (_, n) => 'breaking-news_'.repeat(5).slice(0, n + 1))
    const topics = ids.map((collapse) => render({ collapse }).topic ?? '')
    for (const [n, topic] of topics.entries()) {
      expect(topic).toMatch(/^[\w-]{1,32}$/)
      expect(topic.length % 4).not.toBe(1)
      expect(render({ collapse: ids[n] ?? '' }).topic).toBe(topic)
      // What can go as it is does: a push that waits under it since before is replaced.
      if (n < 32 && (n + 1) % 4 !== 1) expect(topic).toBe(ids[n] ?? '')
    }
    expect(new Set(topics).size).toBe(64)
  })

  test('tell Microsoft, and nobody else, not to keep what is for now or never', () => {
    const rendered = render({ msg: 'Hello' })
    const policy = (ttlSeconds: number, maker: PushServiceMaker) =>
      webPushHeaders(rendered, 'vapid', ttlSeconds, maker)['x-wns-cache-policy']
    expect(policy(0, 'microsoft')).toBe('no-cache')
    expect(policy(1, 'microsoft')).toBeUndefined()
    for (const maker of ['apple', 'google', 'mozilla', 'other'] as const) expect(policy(0, maker)).toBeUndefined()
  })

  test('say for how long it is kept: until it expires, four weeks at the most, not at all with a ttl of 0', () => {
    const rendered = render({ msg: 'Hello' }, 10_000)
    expect(rendered.ttlSeconds(0)).toBe(10)
    expect(rendered.ttlSeconds(500)).toBe(10)
    expect(rendered.ttlSeconds(20_000)).toBe(0)
    expect(render({}, 1e13).ttlSeconds(0)).toBe(2_419_200)
    expect(render({ ttl: 0 }, 60_000).ttlSeconds(0)).toBe(0)
  })
})
