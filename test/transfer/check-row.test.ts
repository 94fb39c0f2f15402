import { describe, expect, test } from 'bun:test'
import { checkDevice, feedbackOf, tallyOf } from '../../src/transfer/check-row.ts'
import type { Stated } from '../../src/transfer/record.ts'

const NOW = Date.UTC(2026, 10, 20)
const APPLE = 'a1b2c3d4'.repeat(8)

function check(stated: Stated, isForeign = true, noBrowsers: string | null = null) {
  const names = { token: 'identifier', tag: 'tags', p256dh: 'web_p256' }
  return checkDevice(stated, { names, isForeign, noBrowsers, now: NOW })
}

describe('a row of a file', () => {
  test('is held to the rules of PUT /deviceToken, in the words of its file', () => {
    expect(check({ platform: 1 })).toEqual({
      kind: 'refused',
      field: 'identifier',
      reason: 'identifier is required.',
    })
    expect(check({ token: 'a b', platform: 1 })).toMatchObject({
      kind: 'refused',
      reason: 'identifier must not contain white space or control characters.',
    })
    expect(check({ token: 'x', platform: 'tv' })).toMatchObject({
      field: 'platform',
      reason: 'platform must be "0" (iOS), "1" (Android) or "2" (Web), not "tv".',
    })
  })

  test("that has Expo's own token is refused on every platform, and says what to do", () => {
    const reason =
      "identifier is Expo's, which only Expo can send to: the app has to register the phone's own token (bellhop manual from-expo)."
    for (const token of ['ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]', 'ExpoPushToken[abc]']) {
      for (const platform of [0, 1])
        expect(check({ token, platform })).toEqual({ kind: 'refused', field: 'identifier', reason })
    }
  })

  test("that has Apple's token and another platform is refused, since some count platforms from 1", () => {
    const reason = "identifier is Apple's, but the platform is Android."
    expect(check({ token: APPLE, platform: '1' })).toEqual({ kind: 'refused', field: 'identifier', reason })
    expect(check({ token: APPLE, platform: '1' }, false)).toMatchObject({ kind: 'device' })
    expect(check({ token: 'ctmBeCwtQDuDsClbyr6d3z', platform: '1' })).toMatchObject({ kind: 'device' })
  })

  test('that is of a browser is held to them too: its endpoint, and its keys', () => {
    const token = 'https://fcm.googleapis.com/fcm/send/1'
    const p256dh = 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'
    const keys = { p256dh, auth: 'BTBZMqHH6r4Tts7J_aSIgg' }
    expect(check({ token, platform: 2, keys })).toMatchObject({ kind: 'device', leftOut: [] })
    for (const [stated, field, reason] of [
      [{ token, platform: 2 }, 'web_p256', 'web_p256 is required with platform 2.'],
      [
        { token, platform: 2, keys: { ...keys, p256dh: 'BCVx' } },
        'web_p256',
        'web_p256 must be a public key of P-256: an uncompressed point, 65 bytes in base64url without padding.',
      ],
      [
        { token, platform: 2, keys: { p256dh, auth: undefined } },
        'keys.auth',
        'keys.auth must be a string, not undefined.',
      ],
      [
        { token: 'APA91b', platform: 2, keys },
        'identifier',
        "identifier must be the endpoint of a push subscription, an https URL as the browser's subscription has it.",
      ],
    ] as const) {
      expect(check(stated)).toEqual({ kind: 'refused', field, reason })
    }
    expect(check({ token, platform: 2, keys }, true, 'is that of a browser')).toEqual({
      kind: 'refused',
      field: 'platform',
      reason: 'platform is that of a browser.',
    })
    // Elsewhere a column may be called auth, and mean something else.
    expect(check({ token: 'x', platform: 1, keys: { auth: 'yes' } })).toMatchObject({ kind: 'device', leftOut: [] })
  })

  test('has a token of Apple in any of the ways that apps write it', () => {
    for (const token of [APPLE, APPLE.toUpperCase(), `<${APPLE.slice(0, 8)} ${APPLE.slice(8)}>`]) {
      expect(check({ token, platform: 0 })).toMatchObject({ device: { token: APPLE } })
    }
  })

  test('has no token of Apple that is one of FCM, or cut off by a spreadsheet', () => {
    for (const token of ['eK3:APA91bXyz', APPLE.slice(0, 40), '3.4E+12']) {
      expect(check({ token, platform: 0 })).toEqual({
        kind: 'refused',
        field: 'identifier',
        reason: 'identifier of iOS must be 64 to 200 hex digits, as Apple gives it.',
      })
    }
  })

  test('that this service took before is taken as it is', () => {
    expect(check({ token: 'simulated-A', platform: '0' }, false)).toMatchObject({ device: { token: 'simulated-A' } })
  })

  test('of another service is an imported device, of this one what its export says', () => {
    const token = 'x'
    expect(check({ token, platform: 1 })).toMatchObject({ device: { imported: true } })
    const at = '2026-11-20T12:01:00.000Z'
    const adopted = { token: 'y', at }
    expect(check({ token, platform: '1', imported: false, adopted }, false)).toMatchObject({
      device: { imported: false, adopted: { token: 'y', at: Date.parse(at) } },
      leftOut: [],
    })
    const own = check({ token, platform: '1' }, false)
    expect(own.kind === 'device' && [own.device.imported, own.device.adopted]).toEqual([undefined, undefined])
  })

  test('is reached without an imported or adopted that says nothing', () => {
    for (const adopted of ['y', { token: 'y' }, { token: 'a b', at: 1_700_000_000 }, { at: 1_700_000_000 }, []]) {
      expect(check({ token: 'x', platform: '1', imported: 'yes', adopted }, false)).toMatchObject({
        device: { token: 'x' },
        leftOut: [
          { field: 'imported', reason: 'imported must be true or false.' },
          { field: 'adopted', reason: 'adopted must be {"token": …, "at": an ISO 8601 time}.' },
        ],
      })
    }
  })

  test('is reached without what of it breaks a rule', () => {
    const checked = check({
      token: 'x',
      platform: 1,
      alias: 'a\u0000b',
      tag: ['good', 'x'.repeat(257), '', 'better'],
      lat: 91,
      lng: 8,
      timezone: 'Mars/Olympus',
      badge: -1,
      environment: 'beta',
      seen_at: 'yesterday',
    })
    expect(checked).toMatchObject({
      kind: 'device',
      device: { token: 'x', platform: 1, tag: ['good', 'better'] },
      leftOut: [
        { field: 'alias' },
        { field: 'tags', reason: 'tags[1] must be at most 256 characters.' },
        { field: 'tags', reason: 'tags[1] must be 1 to 256 characters, not empty.' },
        { field: 'lat' },
        { field: 'timezone' },
        { field: 'seen_at', reason: 'seen_at must be a time: ISO 8601, or seconds or milliseconds since 1970.' },
        { field: 'badge', reason: 'badge must be a whole number from 0 to 2147483647, not -1.' },
        { field: 'environment', reason: 'environment must be production or sandbox.' },
      ],
    })
    expect(checked).not.toHaveProperty('device.lng')
  })

  test('keeps as many tags as there may be', () => {
    const tag = Array.from({ length: 120 }, (_, at) => `tag-${at}`)
    const checked = check({ token: 'x', platform: 1, tag })
    expect(checked).toMatchObject({ device: { tag: tag.slice(0, 100) }, leftOut: [{ field: 'tags' }] })
  })

  test('tells no time that is still to come', () => {
    expect(check({ token: 'x', platform: 1, seen_at: NOW + 1 })).toMatchObject({ device: { seenAt: NOW } })
  })

  test('of an export may say that there is none', () => {
    const none = {
      token: 'x',
      platform: '1',
      alias: null,
      user: null,
      timezone: null,
      locale: null,
      lat: null,
      lng: null,
      environment: null,
    }
    expect(check({ ...none, tag: [], seen_at: null }, false)).toMatchObject({
      device: {
        alias: null,
        user: null,
        timezone: null,
        locale: null,
        lat: null,
        lng: null,
        environment: null,
        tag: [],
      },
    })
  })

  test('may say that its device has left', () => {
    const gone = { token: 'x', platform: '1', state: 'gone', updated_at: '2026-11-01T00:00:00Z' }
    const at = Date.UTC(2026, 10, 1)
    expect(check({ ...gone, reason: null, at: null }, false)).toMatchObject({
      device: { left: { state: 'gone', reason: null, at } },
    })
    expect(check({ ...gone, reason: 'Unregistered', at: '2026-10-01T00:00:00Z' }, false)).toMatchObject({
      device: { left: { reason: 'Unregistered', at: Date.UTC(2026, 9, 1) } },
    })
  })
})

test('a line of feedback is whole, or none', () => {
  const line = { token: 'x', platform: '1', reason: 'UNREGISTERED', at: '2026-10-01T00:00:00Z' }
  expect(feedbackOf(line)).toEqual({ token: 'x', platform: 1, reason: 'UNREGISTERED', at: Date.UTC(2026, 9, 1) })
  for (const change of [{ token: '' }, { platform: '3' }, { reason: 3 }, { at: 'once' }]) {
    expect(feedbackOf({ ...line, ...change })).toBeNull()
  }
})

test('a line of statistics is whole, or none', () => {
  const line = { day: '2026-11-20', platform: '0', t: 3, s: 2, o: 1 }
  expect(tallyOf(line)).toEqual({ day: NOW / 86_400_000, platform: 0, t: 3, s: 2, o: 1, received: 0 })
  expect(tallyOf({ ...line, received: 5 })).toMatchObject({ o: 1, received: 5 })
  for (const change of [{ day: 'x' }, { platform: 0 }, { t: -1 }, { o: '1' }]) {
    expect(tallyOf({ ...line, ...change })).toBeNull()
  }
})
