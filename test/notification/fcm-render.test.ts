import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkFcmMessage } from '../../src/gateway/simulator/fcm/fcm-message.ts'
import { fcmBytes, renderFcm } from '../../src/notification/fcm-render.ts'
import type { Notification } from '../../src/notification/notification.ts'

const PUSH = '01890a5d-ac96-774b-bcce-b302099a8057'
const NOTHING: Notification = { msg: null, sound: null, badge: null, payload: null }
const NOW = 1_700_000_000_000

function bodyOf(
  notification: Partial<Notification>,
  badge: number | null = null,
  expiresAt = NOW + 3_600_000,
): unknown {
  const rendered = renderFcm({ push: PUSH, notification: { ...NOTHING, ...notification }, expiresAt })
  return JSON.parse(rendered.body('some:token', badge, NOW))
}

describe('a push for FCM', () => {
  test('shows msg, plays sound, counts the badge, and is replaced by its repeats', () => {
    expect(bodyOf({ msg: 'Hello', sound: 'chime', badge: { add: 1 } }, 7)).toEqual({
      message: {
        token: 'some:token',
        notification: { body: 'Hello' },
        android: {
          priority: 'high',
          ttl: '3600s',
          notification: { tag: PUSH, sound: 'chime', notification_count: 7 },
        },
      },
    })
  })

  test('leaves out what is absent or empty', () => {
    expect(bodyOf({ msg: 'Hello', sound: '' })).toEqual({
      message: {
        token: 'some:token',
        notification: { body: 'Hello' },
        android: { priority: 'high', ttl: '3600s', notification: { tag: PUSH } },
      },
    })
    expect(bodyOf({ msg: '', sound: 'chime' })).toEqual({
      message: {
        token: 'some:token',
        android: { priority: 'high', ttl: '3600s', notification: { tag: PUSH, sound: 'chime' } },
      },
    })
  })

  test('has the payload in data: strings as they are, null not at all, everything else as JSON text', () => {
    const payload = { text: 'a "b"', number: 5, yes: true, none: null, list: [1, 'x'], object: { a: { b: 1 } } }
    expect(bodyOf({ msg: 'Hello', payload })).toMatchObject({
      message: {
        data: {
          text: 'a "b"',
          number: '5',
          yes: 'true',
          list: '[1,"x"]',
          object: '{"a":{"b":1}}',
        },
      },
    })
  })

  test('with nothing to show is a data message at normal priority', () => {
    expect(bodyOf({ payload: { sync: true } })).toEqual({
      message: { token: 'some:token', data: { sync: 'true' }, android: { priority: 'normal', ttl: '3600s' } },
    })
    expect(bodyOf({})).toEqual({
      message: { token: 'some:token', data: {}, android: { priority: 'normal', ttl: '3600s' } },
    })
  })

  test('with a badge alone shows no empty notification, but carries the count in data', () => {
    const android = { priority: 'normal', ttl: '3600s' }
    expect(bodyOf({ badge: { set: 0 } }, 0)).toEqual({
      message: { token: 'some:token', data: { badge: '0' }, android },
    })
    expect(bodyOf({ badge: { set: 3 }, payload: { id: 'x' } }, 3)).toEqual({
      message: { token: 'some:token', data: { id: 'x', badge: '3' }, android },
    })
    expect(bodyOf({ badge: { set: 3 }, payload: { badge: 'gold' } }, 3)).toEqual({
      message: { token: 'some:token', data: { badge: 'gold' }, android },
    })
  })

  test.each([
    [NOW + 1, '1s'],
    [NOW, '0s'],
    [NOW - 5000, '0s'],
    [NOW + 10 * 604_800_000, '2419200s'],
  ])('that expires at %d lives for %s', (expiresAt, ttl) => {
    expect(bodyOf({ msg: 'Hello' }, null, expiresAt)).toMatchObject({ message: { android: { ttl } } })
  })

  test('can be addressed to any token', () => {
    const rendered = renderFcm({ push: PUSH, notification: { ...NOTHING, msg: 'Hello' }, expiresAt: NOW })
    const token = 'a"b\\c\u2028'
    expect(JSON.parse(rendered.body(token, null, NOW))).toMatchObject({ message: { token } })
  })

  test.each([
    ['ctmBeCwtQDuDsClbyr6d3z', 'fid'],
    ['f_________-----------A', 'fid'],
    ['ctmBeCwtQDuDsClbyr6d3', 'token'],
    ['ctmBeCwtQDuDsClbyr6d3zz', 'token'],
    ['gtmBeCwtQDuDsClbyr6d3z', 'token'],
    ['ctmBeCwtQDuDsClbyr6d3:', 'token'],
    [`ctmBeCwtQDuDsClbyr6d3z:APA91b${'x'.repeat(130)}`, 'token'],
  ])('to %s has it as its %s', (address, field) => {
    const rendered = renderFcm({ push: PUSH, notification: { ...NOTHING, msg: 'Hello' }, expiresAt: NOW })
    const { token, fid }: Record<string, unknown> = JSON.parse(rendered.body(address, null, NOW)).message
    expect({ token, fid }).toEqual({ token: undefined, fid: undefined, [field]: address })
  })

  test('is measured without the token, at the largest badge and time to live it can have', () => {
    const cases: [Partial<Notification>, number | null][] = [
      [{ msg: 'Grüße 👋', sound: 'chime', payload: { id: 'ü' } }, null],
      [{ msg: 'Hello', badge: { set: 12 } }, 12],
      [{ msg: 'Hello', badge: { add: 1 } }, 2_147_483_647],
      [{ badge: { add: 1 } }, 2_147_483_647],
    ]
    for (const [notification, badge] of cases) {
      const rendered = renderFcm({
        push: PUSH,
        notification: { ...NOTHING, ...notification },
        expiresAt: NOW + 10 * 604_800_000,
      })
      expect(fcmBytes({ ...NOTHING, ...notification })).toBe(Buffer.byteLength(rendered.body('', badge, NOW)))
    }
  })
})

describe('more in a push for FCM', () => {
  const android = { priority: 'high', ttl: '3600s', notification: { tag: PUSH } }
  const token = 'some:token'

  test.each<[Partial<Notification>, object]>([
    [
      { msg: 'Hello', title: 'T', image: 'https://example.com/a.png' },
      { notification: { title: 'T', body: 'Hello', image: 'https://example.com/a.png' }, android },
    ],
    [{ title: 'T' }, { notification: { title: 'T' }, android }],
    [
      { msg: 'Hello', collapse: 'score', channel: 'news' },
      {
        notification: { body: 'Hello' },
        android: { ...android, notification: { tag: 'score', channel_id: 'news' } },
      },
    ],
    [
      { msg: 'Hello', priority: 'normal' },
      { notification: { body: 'Hello' }, android: { ...android, priority: 'normal' } },
    ],
    [
      { msg: 'Hello', link: 'shop://1', payload: { id: 5 } },
      { notification: { body: 'Hello' }, data: { id: '5', link: 'shop://1' }, android },
    ],
    [
      { msg: 'Hello', subtitle: 'S', category: 'c', thread: 't', interruption: 'passive', mutable: true },
      { notification: { body: 'Hello' }, android },
    ],
    [{ silent: true }, { data: {}, android: { priority: 'normal', ttl: '3600s' } }],
    [
      { silent: true, collapse: 'sync', link: 'shop://1' },
      { data: { link: 'shop://1' }, android: { priority: 'normal', ttl: '3600s', collapse_key: 'sync' } },
    ],
    [
      { payload: { id: 5 }, priority: 'high' },
      { data: { id: '5' }, android: { priority: 'high', ttl: '3600s' } },
    ],
  ])('%j is %j', (notification, message) => {
    expect(bodyOf(notification)).toEqual({ message: { token, ...message } })
  })

  test('the id is text in data, also of what shows nothing; a key of that name in the payload, or raw, takes its place', () => {
    const carriesId = true
    const bellhop = JSON.stringify({ push: PUSH })
    expect(bodyOf({ msg: 'Hello', carriesId, payload: { id: 5 } })).toEqual({
      message: { token, notification: { body: 'Hello' }, data: { bellhop, id: '5' }, android },
    })
    const quiet = { priority: 'normal', ttl: '3600s' }
    expect(bodyOf({ silent: true, carriesId })).toEqual({ message: { token, data: { bellhop }, android: quiet } })
    expect(bodyOf({ badge: { set: 3 }, carriesId }, 3)).toEqual({
      message: { token, data: { bellhop, badge: '3' }, android: quiet },
    })
    const dataOf = (more: object) => ({ message: { data: { bellhop: more } } })
    expect(bodyOf({ msg: 'x', carriesId, payload: { bellhop: [1] } })).toMatchObject(dataOf('[1]' as never))
    expect(bodyOf({ msg: 'x', carriesId, fcm: { data: { bellhop: '' } } })).toMatchObject(dataOf('' as never))
    const bytes = (more: object) => fcmBytes({ ...NOTHING, msg: 'x', ...more })
    expect(bytes({ carriesId }) - bytes({})).toBe(JSON.stringify({ data: { bellhop } }).length - 1)
  })

  test('now or never is a time to live of 0 s', () => {
    expect(bodyOf({ msg: 'Hello', ttl: 0 })).toMatchObject({ message: { android: { ttl: '0s' } } })
  })

  test('what is raw goes over all of it, and leaves the rest; the count stays that of the recipient', () => {
    const fcm = {
      notification: { title: 'raw' },
      data: { id: '6', more: 'x' },
      android: {
        priority: 'NORMAL',
        collapse_key: 'k',
        notification: { color: '#ff0000', sound: 'raw' },
      },
      fcm_options: { analytics_label: 'a' },
    }
    expect(bodyOf({ msg: 'Hello', sound: 'ding', badge: { add: 1 }, payload: { id: 5, a: 'b' }, fcm }, 3)).toEqual({
      message: {
        token,
        notification: { body: 'Hello', title: 'raw' },
        data: { id: '6', a: 'b', more: 'x' },
        android: {
          priority: 'NORMAL',
          collapse_key: 'k',
          ttl: '3600s',
          notification: { tag: PUSH, color: '#ff0000', sound: 'raw', notification_count: 3 },
        },
        fcm_options: { analytics_label: 'a' },
      },
    })
  })

  test('a raw notification is something to show', () => {
    expect(bodyOf({ fcm: { notification: { title: 'raw' } } })).toEqual({
      message: { token, notification: { title: 'raw' }, android },
    })
    expect(bodyOf({ fcm: { android: { notification: { title: 'raw' } } }, badge: { set: 2 } }, 2)).toEqual({
      message: { token, android: { ...android, notification: { tag: PUSH, title: 'raw', notification_count: 2 } } },
    })
  })

  test('whatever is in it, FCM takes it, and it is never longer than measured', () => {
    fc.assert(
      fc.property(notifications, fc.option(fc.nat({ max: 2_147_483_647 })), (notification, badge) => {
        const given = notification.badge === null ? null : badge
        const rendered = renderFcm({ push: PUSH, notification: { ...NOTHING, ...notification }, expiresAt: NOW + 1e12 })
        expect(checkFcmMessage(rendered.body('some:token', given, NOW))).toMatchObject({ kind: 'message' })
        const bytes = Buffer.byteLength(rendered.body('', given, NOW))
        expect(bytes).toBeLessThanOrEqual(fcmBytes({ ...NOTHING, ...notification }))
      }),
    )
  })
})

const text = fc.string({ minLength: 1, unit: 'grapheme' })
const key = text.filter((name) => !/^(from$|message_type$|google\.|gcm\.)/.test(name))
const notifications = fc.record(
  {
    badge: fc.constantFrom(null, { add: 1 }, { add: -1 }),
    carriesId: fc.constant(true as const),
    msg: text,
    title: text,
    sound: text,
    channel: text,
    link: text,
    image: text,
    collapse: text,
    ttl: fc.nat({ max: 2_419_200 }),
    priority: fc.constantFrom('high', 'normal'),
    payload: fc.dictionary(key, fc.jsonValue()),
    fcm: fc.record(
      {
        notification: fc.record({ title: text }),
        data: fc.dictionary(key, text),
        android: fc.record({ collapse_key: text, notification: fc.record({ ticker: text }) }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['badge'] },
)
