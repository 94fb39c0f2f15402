import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { apnsBytes, renderApns } from '../../src/notification/apns-render.ts'
import type { Notification } from '../../src/notification/notification.ts'
import type { RawApns } from '../../src/notification/options/apns.ts'

const PUSH = '01890a5d-ac96-774b-bcce-b302099a8057'
const NOTHING: Notification = { msg: null, sound: null, badge: null, payload: null }

function render(notification: Partial<Notification>, expiresAt = 1_800_000_000_999) {
  return renderApns({ push: PUSH, notification: { ...NOTHING, ...notification }, expiresAt })
}

function bodyOf(notification: Partial<Notification>, badge: number | null = null): unknown {
  return JSON.parse(render(notification).body(badge))
}

describe('a push for APNs', () => {
  test('shows msg as alert, plays sound, and sets the badge of the recipient', () => {
    expect(bodyOf({ msg: 'Hello', sound: 'chime.caf', badge: { add: 1 } }, 7)).toEqual({
      aps: { alert: 'Hello', sound: 'chime.caf', badge: 7 },
    })
  })

  test('leaves out what is absent or empty', () => {
    expect(bodyOf({ msg: 'Hello', sound: '' })).toEqual({ aps: { alert: 'Hello' } })
    expect(bodyOf({ msg: '', sound: 'default' })).toEqual({ aps: { sound: 'default' } })
    expect(bodyOf({ badge: { set: 0 } }, 0)).toEqual({ aps: { badge: 0 } })
  })

  test('has the fields of the payload beside aps', () => {
    const payload = { id: 5, nested: { list: [1, null, 'x'] }, 'quote"': '\\ "é\u2028' }
    expect(bodyOf({ msg: 'Hello', payload, badge: { set: 2 } }, 2)).toEqual({
      aps: { alert: 'Hello', badge: 2 },
      ...payload,
    })
  })

  test('is written anew for each badge', () => {
    const rendered = render({ badge: { add: 1 } })
    expect([1, 1, 2, null, 1].map((badge) => JSON.parse(rendered.body(badge)) as unknown)).toEqual([
      { aps: { badge: 1 } },
      { aps: { badge: 1 } },
      { aps: { badge: 2 } },
      { aps: {} },
      { aps: { badge: 1 } },
    ])
  })

  test.each([{ msg: 'Hello' }, { sound: 'default' }, { badge: { set: 0 } }, { badge: { add: -1 } }])(
    'goes as an alert at priority 10 with %j',
    (notification) => {
      expect(render(notification)).toMatchObject({ pushType: 'alert', priority: '10' })
    },
  )

  test.each([{}, { msg: '', sound: '' }, { payload: { sync: true } }])(
    'goes in the background at priority 5 with %j',
    (notification) => {
      expect(render(notification)).toMatchObject({ pushType: 'background', priority: '5' })
      expect(bodyOf(notification)).toMatchObject({ aps: { 'content-available': 1 } })
    },
  )

  test('expires in whole seconds, and its repeats collapse into it', () => {
    expect(render({ msg: 'Hello' })).toMatchObject({ expiration: '1800000000', collapseId: PUSH })
  })

  test('is measured at the largest badge it can have', () => {
    const size = (notification: Partial<Notification>, badge: number | null) =>
      Buffer.byteLength(render(notification).body(badge))
    const cases: [Partial<Notification>, number | null][] = [
      [{ msg: 'Grüße 👋', payload: { id: 'ü' } }, null],
      [{ msg: 'Hello', badge: { set: 12 } }, 12],
      [{ msg: 'Hello', badge: { add: 1 } }, 2_147_483_647],
      [{ payload: { sync: true } }, null],
    ]
    for (const [notification, badge] of cases) {
      expect(apnsBytes({ ...NOTHING, ...notification })).toBe(size(notification, badge))
    }
  })
})

describe('more in a push for APNs', () => {
  test.each<[Partial<Notification>, unknown]>([
    [{ msg: 'Hello', title: 'T' }, { alert: { title: 'T', body: 'Hello' } }],
    [{ msg: 'Hello', title: 'T', subtitle: 'S' }, { alert: { title: 'T', subtitle: 'S', body: 'Hello' } }],
    [{ msg: 'Hello', subtitle: 'S' }, { alert: { subtitle: 'S', body: 'Hello' } }],
    [{ title: 'T' }, { alert: { title: 'T' } }],
    [
      { msg: 'Hello', category: 'c', thread: 't' },
      { alert: 'Hello', category: 'c', 'thread-id': 't' },
    ],
    [
      { msg: 'Hello', interruption: 'passive' },
      { alert: 'Hello', 'interruption-level': 'passive' },
    ],
    [
      { msg: 'Hello', sound: 'siren.caf', interruption: 'critical' },
      {
        alert: 'Hello',
        sound: { critical: 1, name: 'siren.caf', volume: 1 },
        'interruption-level': 'critical',
      },
    ],
    [
      { msg: 'Hello', mutable: true },
      { alert: 'Hello', 'mutable-content': 1 },
    ],
    [{ msg: 'Hello', mutable: false }, { alert: 'Hello' }],
    [{ msg: 'Hello', channel: 'news' }, { alert: 'Hello' }],
    [
      { msg: 'Hello', apns: { aps: { alert: { 'loc-key': 'k' }, 'relevance-score': 0.5 } } },
      { alert: { 'loc-key': 'k' }, 'relevance-score': 0.5 },
    ],
  ])('%j is %j in aps', (notification, aps) => {
    expect(bodyOf(notification)).toEqual({ aps })
  })

  test('an image goes beside aps, for the extension that mutable-content calls; a link too', () => {
    const image = 'https://example.com/a.png'
    expect(bodyOf({ msg: 'Hello', image, link: 'shop://1', payload: { id: 5 } })).toEqual({
      aps: { alert: 'Hello', 'mutable-content': 1 },
      id: 5,
      image,
      link: 'shop://1',
    })
    expect(bodyOf({ msg: 'Hello', image, mutable: false })).toEqual({ aps: { alert: 'Hello' }, image })
  })

  test('the id goes beside aps, also of what shows nothing; a key of that name in the payload, or raw, takes its place', () => {
    const carriesId = true
    const bellhop = { push: PUSH }
    expect(bodyOf({ msg: 'Hello', carriesId, payload: { id: 5 } })).toEqual({ aps: { alert: 'Hello' }, id: 5, bellhop })
    expect(bodyOf({ silent: true, carriesId })).toEqual({ aps: { 'content-available': 1 }, bellhop })
    expect(bodyOf({ msg: 'x', carriesId, payload: { bellhop: 'mine' } })).toMatchObject({ bellhop: 'mine' })
    expect(bodyOf({ msg: 'x', carriesId, apns: { bellhop: null } })).toMatchObject({ bellhop: null })
    const bytes = (more: object) => apnsBytes({ ...NOTHING, msg: 'x', ...more })
    expect(bytes({ carriesId }) - bytes({})).toBe(JSON.stringify({ bellhop }).length - 1)
    expect(bytes({ carriesId, payload: { bellhop: 'mine' } })).toBe(bytes({ payload: { bellhop: 'mine' } }))
  })

  test('what is raw goes over all of it, aps key by key, and the badge stays that of the recipient', () => {
    const apns = { aps: { sound: 'b.caf', 'content-available': 1 }, id: 6, live: { a: 1 } }
    expect(bodyOf({ msg: 'Hello', sound: 'a.caf', badge: { add: 1 }, payload: { id: 5 }, apns }, 3)).toEqual({
      aps: { alert: 'Hello', sound: 'b.caf', 'content-available': 1, badge: 3 },
      id: 6,
      live: { a: 1 },
    })
  })

  test.each<[Partial<Notification>, string, string]>([
    [{ msg: 'Hello', priority: 'normal' }, 'alert', '5'],
    [{ msg: 'Hello', priority: 'high' }, 'alert', '10'],
    [{ silent: true }, 'background', '5'],
    [{ payload: { id: 5 }, priority: 'high' }, 'background', '5'],
    [{ apns: { aps: { alert: 'raw' } } }, 'alert', '10'],
    [{ apns: { aps: { sound: 'raw' } } }, 'alert', '10'],
    [{ apns: { aps: { 'thread-id': 'raw' } } }, 'background', '5'],
    [{ title: 'T' }, 'alert', '10'],
  ])('%j is of type %s and priority %s', (notification, pushType, priority) => {
    expect(render(notification)).toMatchObject({ pushType, priority })
    const aps: object = JSON.parse(render(notification).body(null)).aps
    expect('content-available' in aps).toBe(pushType === 'background')
  })

  test('now or never is expiration 0, and the caller’s collapse is the id', () => {
    expect(render({ msg: 'Hello', ttl: 0 })).toMatchObject({ expiration: '0' })
    expect(render({ msg: 'Hello', ttl: 60, collapse: 'score' })).toMatchObject({
      expiration: '1800000000',
      collapseId: 'score',
    })
  })

  test('a key by the name of __proto__ is a key like others', () => {
    const apns: RawApns = JSON.parse('{"aps":{"__proto__":{"alert":"x"}},"__proto__":{"a":1}}')
    expect(render({ msg: 'Hello', apns }).body(null)).toBe(
      '{"aps":{"alert":"Hello","__proto__":{"alert":"x"}},"__proto__":{"a":1}}',
    )
    expect(({} as Record<string, unknown>)['a']).toBeUndefined()
  })

  test('whatever is in it, the body is JSON with the recipient’s badge, and never longer than measured', () => {
    fc.assert(
      fc.property(notifications, fc.option(fc.nat({ max: 2_147_483_647 })), (notification, badge) => {
        const body = render(notification).body(notification.badge === null ? null : badge)
        const { aps } = JSON.parse(body)
        expect(aps.badge ?? null).toBe(notification.badge === null ? null : badge)
        expect(Buffer.byteLength(body)).toBeLessThanOrEqual(apnsBytes({ ...NOTHING, ...notification }))
      }),
    )
  })
})

const text = fc.string({ minLength: 1, unit: 'grapheme' })
const notifications = fc.record(
  {
    badge: fc.constantFrom(null, { add: 1 }, { add: -1 }),
    carriesId: fc.constant(true as const),
    msg: text,
    title: text,
    subtitle: text,
    sound: text,
    thread: text,
    link: text,
    image: text,
    mutable: fc.boolean(),
    payload: fc.dictionary(text, fc.jsonValue()),
    interruption: fc.constantFrom('passive', 'critical'),
    apns: fc.record({
      aps: fc.dictionary(
        text.filter((key) => key !== 'badge'),
        fc.jsonValue(),
      ),
      more: fc.jsonValue(),
    }),
  },
  { requiredKeys: ['badge'] },
)
