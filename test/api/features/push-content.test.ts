import { describe, expect, test } from 'bun:test'
import { fileService } from '../../support/file-service.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { newPushTarget, PUSH_PATHS } from '../../support/push-target.ts'
import type { PushPath } from '../../support/push-target.ts'
import { expectFailure, expectInvalid } from '../../support/refusals.ts'
import type { BadValue } from '../../support/refusals.ts'

const QUIET = { msg: 'Hello', sound: '', badge: '' }
const IMAGE = 'https://example.com/a.png'
const NOW = 1_800_000_000_000

const service = await fileService({ clock: createFakeClock(NOW) })
const target = newPushTarget(service)

async function apnsOf(path: PushPath, content: object) {
  const { body, headers }: any = await target.arrivalAt(path, await target.newDevice('0'), content)
  return { body, headers }
}

async function fcmOf(path: PushPath, content: object): Promise<any> {
  const { body }: any = await target.arrivalAt(path, await target.newDevice('1'), content)
  const { token: _, ...message } = body.message
  return message
}

for (const path of PUSH_PATHS) {
  describe(`what arrives of a push of ${path}:`, () => {
    test('title, subtitle and message are the alert of APNs; FCM has no subtitle', async () => {
      const content = { ...QUIET, title: 'Title', subtitle: 'Below it' }
      const { body } = await apnsOf(path, content)
      expect(body).toEqual({ aps: { alert: { title: 'Title', subtitle: 'Below it', body: 'Hello' } } })
      expect((await fcmOf(path, content)).notification).toEqual({ title: 'Title', body: 'Hello' })
    })

    test('an image is shown by Android, and handed to the extension of the app on iOS', async () => {
      const { body } = await apnsOf(path, { ...QUIET, image: IMAGE })
      expect(body).toEqual({ aps: { alert: 'Hello', 'mutable-content': 1 }, image: IMAGE })
      expect((await fcmOf(path, { ...QUIET, image: IMAGE })).notification).toEqual({ body: 'Hello', image: IMAGE })
    })

    test('category, thread and interruption are for iOS, the channel is for Android', async () => {
      const content = { ...QUIET, category: 'order', thread: 'chat-1', interruption: 'time-sensitive', channel: 'news' }
      expect((await apnsOf(path, content)).body).toEqual({
        aps: { alert: 'Hello', category: 'order', 'thread-id': 'chat-1', 'interruption-level': 'time-sensitive' },
      })
      const { android, ...others } = await fcmOf(path, content)
      expect(others).toEqual({ notification: { body: 'Hello' } })
      expect(android.notification).toEqual({ tag: expect.any(String), channel_id: 'news' })
    })

    test('a relevance score is for iOS, also behind FCM', async () => {
      const { body } = await apnsOf(path, { ...QUIET, relevance_score: '0.75' })
      expect(body).toEqual({ aps: { alert: 'Hello', 'relevance-score': 0.75 } })
      expect((await fcmOf(path, { ...QUIET, relevance_score: 1 })).notification).toEqual({ body: 'Hello' })
    })

    test('a critical push has its sound in a dictionary', async () => {
      const { body } = await apnsOf(path, { ...QUIET, sound: 'siren.caf', interruption: 'critical' })
      expect(body.aps.sound).toEqual({ critical: 1, name: 'siren.caf', volume: 1 })
    })

    test('a link is beside aps, and in data', async () => {
      const content = { ...QUIET, link: 'shop://orders/17', payload: { article: 17 } }
      expect((await apnsOf(path, content)).body).toMatchObject({ article: 17, link: 'shop://orders/17' })
      expect((await fcmOf(path, content)).data).toEqual({ article: '17', link: 'shop://orders/17' })
    })

    test('image and link in a payload are keys like others, where the push has no field of that name', async () => {
      const content = { ...QUIET, payload: { image: 'orders/17.png', link: 'orders/17' } }
      expect((await apnsOf(path, content)).body).toEqual({ aps: { alert: 'Hello' }, ...content.payload })
      expect((await fcmOf(path, content)).data).toEqual(content.payload)
    })

    test('collapse is the collapse id, and the tag; without it that is the id of the push', async () => {
      const { headers } = await apnsOf(path, { ...QUIET, collapse: 'score-17' })
      expect(headers['apns-collapse-id']).toBe('score-17')
      const { android } = await fcmOf(path, { ...QUIET, collapse: 'score-17' })
      expect(android.notification.tag).toBe('score-17')
      expect(android.collapse_key).toBeUndefined()
    })

    test.each<[unknown, string, string]>([
      [undefined, '1800086400', '86400s'],
      [60, '1800000060', '60s'],
      ['3600', '1800003600', '3600s'],
      [2_419_200, '1802419200', '2419200s'],
      [0, '0', '0s'],
    ])('a ttl of %p expires at %s for APNs and lives for %s at FCM', async (ttl, expiration, fcmTtl) => {
      expect((await apnsOf(path, { ...QUIET, ttl })).headers['apns-expiration']).toBe(expiration)
      expect((await fcmOf(path, { ...QUIET, ttl })).android.ttl).toBe(fcmTtl)
    })

    test('priority normal is 5 for APNs', async () => {
      expect((await apnsOf(path, { ...QUIET, priority: 'normal' })).headers['apns-priority']).toBe('5')
      expect((await fcmOf(path, { ...QUIET, priority: 'normal' })).android.priority).toBe('normal')
      expect((await apnsOf(path, { ...QUIET, priority: 'high' })).headers['apns-priority']).toBe('10')
      expect((await fcmOf(path, { ...QUIET, priority: 'high' })).android.priority).toBe('high')
    })

    for (const silent of [true, 'true', 1, '1']) {
      test(`a push with silent ${JSON.stringify(silent)} wakes the app and shows nothing`, async () => {
        const { body, headers } = await apnsOf(path, { silent, payload: { sync: 'all' } })
        expect(body).toEqual({ aps: { 'content-available': 1 }, sync: 'all' })
        expect(headers).toMatchObject({ 'apns-push-type': 'background', 'apns-priority': '5' })
        const message = await fcmOf(path, { silent, payload: { sync: 'all' }, collapse: 'sync' })
        expect(message).toMatchObject({ data: { sync: 'all' }, android: { priority: 'normal', collapse_key: 'sync' } })
        expect(message.notification ?? message.android.notification).toBeUndefined()
      })
    }

    test('a silent push need not say anything, and may say that there is nothing', async () => {
      expect((await apnsOf(path, { silent: true })).body).toEqual({ aps: { 'content-available': 1 } })
      const nothing = { silent: true, msg: '', sound: '', badge: '' }
      expect((await apnsOf(path, nothing)).body).toEqual({ aps: { 'content-available': 1 } })
    })

    for (const no of [false, 'false', 0, '0', null, '']) {
      test(`silent and mutable ${JSON.stringify(no)} are no`, async () => {
        const { body } = await apnsOf(path, { ...QUIET, silent: no, mutable: no })
        expect(body).toEqual({ aps: { alert: 'Hello' } })
      })
    }

    test('what is raw is merged last', async () => {
      const apns = { aps: { alert: { 'loc-key': 'GREETING' }, 'relevance-score': 0.5, sound: null }, more: [1] }
      expect((await apnsOf(path, { ...QUIET, payload: { more: 0, id: 1 }, apns })).body).toEqual({
        aps: { alert: { 'loc-key': 'GREETING' }, 'relevance-score': 0.5 },
        more: [1],
        id: 1,
      })
      const fcm = {
        data: { id: '2' },
        android: { collapseKey: 'k', notification: { clickAction: 'OPEN', color: '#00ff00', ticker: null } },
        fcmOptions: { analytics_label: 'spring' },
      }
      const { android, ...others } = await fcmOf(path, { ...QUIET, payload: { id: 1 }, channel: 'news', fcm })
      expect(others).toEqual({
        notification: { body: 'Hello' },
        data: { id: '2' },
        fcm_options: { analytics_label: 'spring' },
      })
      expect(android).toMatchObject({
        priority: 'high',
        collapse_key: 'k',
        notification: { channel_id: 'news', click_action: 'OPEN', color: '#00ff00' },
      })
    })

    test('what is empty is absent', async () => {
      const empty = { title: '', subtitle: null, image: '', ttl: '', priority: '', apns: [], fcm: {}, collapse: null }
      expect((await apnsOf(path, { ...QUIET, ...empty })).body).toEqual({ aps: { alert: 'Hello' } })
    })
  })

  describe(`a push of ${path} is refused, and nothing stored,`, () => {
    /** `others` stands beside the field; `{}` replaces the usual message. */
    async function expectRefused(
      field: string,
      bad: readonly BadValue[],
      name = field,
      others: object = QUIET,
    ): Promise<void> {
      const device = await target.newDevice('0')
      const count = service.database.reading<object, []>('SELECT count(*) FROM push')
      const before = count.get()
      await expectInvalid((value) => target.push(path, device, { ...others, [field]: value }), name, bad)
      expect(count.get()).toEqual(before)
    }

    test.each(['title', 'subtitle', 'category', 'thread', 'channel'])('for a %s that is no text', (field) =>
      expectRefused(field, [
        [5, 'must be a string, not 5'],
        [['a'], 'must be a string, not an array'],
        ['\ud83d', 'must be well-formed Unicode, without lone surrogates'],
      ]),
    )

    test('for an image that is no https URL', () => {
      const values = ['http://example.com/a.png', 'a.png', '//example.com/a.png', ' https://example.com', 'https://']
      const shown = values.map((value) => [value, `must be an https URL, not ${JSON.stringify(value)}`] as const)
      return expectRefused('image', [...shown, [5, 'must be an https URL, not 5']])
    })

    test('for a link that is no URL', () => {
      const problem = "must be a URL with its scheme, such as https: or the app's own, not"
      return expectRefused('link', [
        ['orders/17', `${problem} "orders/17"`],
        ['https://a b', `${problem} "https://a b"`],
        ['a:\nb', `${problem} "a:\\nb"`],
        [17, `${problem} 17`],
      ])
    })

    test('for a collapse that no header can carry', () => {
      const problem = 'must be at most 64 bytes of printable ASCII, without spaces around it'
      return expectRefused('collapse', [
        ['x'.repeat(65), problem],
        ['é', problem],
        ['a\r\nb', problem],
        [' a', problem],
        [5, 'must be a string, not 5'],
      ])
    })

    test('for a ttl out of range', () => {
      const problem = 'must be whole seconds from 0 to 2419200 (28 days), not'
      return expectRefused('ttl', [
        [-1, `${problem} -1`],
        [2_419_201, `${problem} 2419201`],
        [0.5, `${problem} 0.5`],
        ['1h', `${problem} "1h"`],
        [true, `${problem} true`],
      ])
    })

    test('for a relevance score out of range', () => {
      const problem = 'must be a number from 0 to 1, not'
      return expectRefused('relevance_score', [
        [1.01, `${problem} 1.01`],
        [-0.5, `${problem} -0.5`],
        ['high', `${problem} "high"`],
        [true, `${problem} true`],
      ])
    })

    test('for another word than there is', async () => {
      await expectRefused('priority', [
        ['urgent', 'must be "high" or "normal", not "urgent"'],
        [10, 'must be "high" or "normal", not 10'],
      ])
      const levels = '"passive" or "active" or "time-sensitive" or "critical"'
      await expectRefused('interruption', [['loud', `must be ${levels}, not "loud"`]])
      for (const field of ['silent', 'mutable']) {
        await expectRefused(field, [
          ['yes', 'must be true or false, not "yes"'],
          [2, 'must be true or false, not 2'],
          [{}, 'must be true or false, not an object'],
        ])
      }
    })

    test('for a silent push that has something to show', async () => {
      const problem = "can't be combined with silent, which shows nothing"
      const silent = { silent: true }
      await expectRefused('msg', [['Hello', problem]], 'msg', silent)
      await expectRefused('title', [['Hello', problem]], 'title', silent)
      await expectRefused('sound', [['default', problem]], 'sound', silent)
      await expectRefused('badge', [['0', problem]], 'badge', silent)
      await expectRefused('channel', [['news', problem]], 'channel', silent)
      await expectRefused('interruption', [['passive', problem]], 'interruption', silent)
      await expectRefused('relevance_score', [[0, problem]], 'relevance_score', silent)
      await expectRefused('apns', [[{ aps: { alert: 'x' } }, problem]], 'apns.aps.alert', silent)
      await expectRefused('fcm', [[{ notification: { title: 'x' } }, problem]], 'fcm.notification', silent)
      const onAndroid = { android: { notification: { title: 'x' } } }
      await expectRefused('fcm', [[onAndroid, problem]], 'fcm.android.notification', silent)
      const high = 'must not be "high" with silent: Apple takes what shows nothing at normal priority only'
      await expectRefused('priority', [['high', high]], 'priority', silent)
    })

    test('for buttons that no browser could show, or whose name could not be reported', async () => {
      const button = { action: 'track', title: 'Track it' }
      await expectRefused('actions', [
        ['track', 'must be a list of buttons, not "track"'],
        [button, 'must be a list of buttons, not an object'],
        [Array.from({ length: 4 }, (_, index) => ({ ...button, action: `a${index}` })), 'must be at most 3 buttons'],
      ])
      await expectRefused('actions', [[['track'], 'must be {"action": …, "title": …}, not "track"']], 'actions[0]')
      const bad = (one: object, field: string, problem: string) =>
        expectRefused('actions', [[[{ action: 'other', title: 'Other' }, one], problem]], `actions[1].${field}`)
      await bad({ title: 'Track it' }, 'action', 'must not be empty')
      await bad({ ...button, action: 'x'.repeat(65) }, 'action', 'must be at most 64 characters')
      await bad({ ...button, action: 'a\nb' }, 'action', 'must not contain control characters')
      await bad({ ...button, action: 'other' }, 'action', 'must not be the name of another button')
      await bad({ ...button, title: '' }, 'title', 'must not be empty')
      await bad({ ...button, title: 5 }, 'title', 'must be a string, not 5')
      await bad({ ...button, link: 'shop:17' }, 'link', 'must be an http or https URL, not "shop:17"')
      await bad({ ...button, link: '/track' }, 'link', 'must be an http or https URL, not "/track"')
      await bad({ ...button, url: 'a:b' }, 'url', 'is not a field of a button: these are action, title, link')
      const silent = { silent: true }
      await expectRefused(
        'actions',
        [[[button], "can't be combined with silent, which shows nothing"]],
        'actions',
        silent,
      )
    })

    test('for a critical push without sound', () =>
      expectRefused('interruption', [['critical', 'must not be "critical" without a sound; "default" is one']]))

    test('for a name that is taken twice', async () => {
      const twice = (name: string) => `can't be combined with ${name}, which is sent under that name`
      await expectRefused('link', [['a:b', twice('link')]], 'payload.link', { ...QUIET, payload: { link: 1 } })
      await expectRefused('image', [[IMAGE, twice('image')]], 'payload.image', { ...QUIET, payload: { image: 1 } })
    })

    test('for raw fields that are no objects', async () => {
      for (const field of ['apns', 'fcm']) {
        await expectRefused(field, [
          ['{}', 'must be an object, not "{}"'],
          [[1], 'must be an object, not an array'],
        ])
      }
      await expectRefused('apns', [[{ aps: 'x' }, 'must be an object, not "x"']], 'apns.aps')
    })

    test.each<[object, string, string]>([
      [{ badge: 5 }, 'badge', 'is not allowed: use badge, which counts it for each device'],
      [{ alert: 5 }, 'alert', 'must be a string or an object, not 5'],
      [{ sound: [] }, 'sound', 'must be a string or an object, not an array'],
      [{ 'content-available': true }, 'content-available', 'must be 1 or 0, not true'],
      [
        { 'interruption-level': 'x' },
        'interruption-level',
        'must be one of passive, active, time-sensitive, critical, not "x"',
      ],
      [{ 'relevance-score': 2 }, 'relevance-score', 'must be a number from 0 to 1, not 2'],
      [{ category: 5 }, 'category', 'must be a string, not 5'],
    ])('for a raw aps that no phone understands: %j', (aps, key, problem) =>
      expectRefused('apns', [[{ aps }, problem]], `apns.aps.${key}`),
    )

    const ADDRESSED = 'is not allowed: choose the audience with the fields beside fcm'
    const COUNTED = 'is not allowed: use badge, which counts it for each device'
    test.each<[object, string, string]>([
      [{ token: 'x' }, 'token', ADDRESSED],
      [{ fid: 'x' }, 'fid', ADDRESSED],
      [{ topic: 'x' }, 'topic', ADDRESSED],
      [{ condition: 'x' }, 'condition', ADDRESSED],
      [{ android: { ttl: '5s' } }, 'android.ttl', 'is not allowed: use ttl'],
      [{ android: { notification: { notificationCount: 5 } } }, 'android.notification.notification_count', COUNTED],
      [{ tokn: 'x' }, 'tokn', 'is not a field that FCM has'],
      [{ 't\u001b[2J\n': 'x' }, String.raw`t\x1b[2J\x0a`, 'is not a field that FCM has'],
      [{ android: { notification: { colour: 'x' } } }, 'android.notification.colour', 'is not a field that FCM has'],
      [{ data: { count: 5 } }, 'data.count', 'must be a string, not 5'],
      [{ data: { none: null } }, 'data.none', 'must be a string, not null'],
      [{ data: ['a'] }, 'data', 'must be an object of strings, not an array'],
      [{ android: { priority: 'urgent' } }, 'android.priority', 'must be one of NORMAL, HIGH, not "urgent"'],
      [{ android: { direct_boot_ok: 1 } }, 'android.direct_boot_ok', 'must be true or false, not 1'],
      [
        { android: { notification: { title_loc_args: ['a', 5] } } },
        'android.notification.title_loc_args[1]',
        'must be a string, not 5',
      ],
      [{ data: { from: 'x' } }, 'data', 'is refused by Google: Invalid data payload key: from'],
      [
        { android: { notification: { color: 'red' } } },
        'android.notification.color',
        'is refused by Google: Color must be in the form #rrggbb',
      ],
    ])('for a raw message that FCM refuses: %j', (fcm, place, problem) =>
      expectRefused('fcm', [[fcm, problem]], `fcm.${place}`),
    )

    test('if it is too large, naming what counts', async () => {
      const device = await target.newDevice('0')
      const content = { ...QUIET, title: 'T', link: 'a:b', apns: { text: 'x'.repeat(5000) } }
      const bytes = JSON.stringify({
        aps: { alert: { title: 'T', body: 'Hello' } },
        link: 'a:b',
        text: 'x'.repeat(5000),
        bellhop: { push: '00000000-0000-7000-8000-000000000000' },
      }).length
      const refusal = `msg, sound, payload, title, link and apns are too large: ${bytes} bytes for APNs; at most 4096 are allowed.`
      const answer = await target.push(path, device, content)
      expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 400, body: { message: refusal } })
    })
  })
}

describe('a push to many', () => {
  const filtered = { tags: 'nobody' }

  test('with a title, a link or something raw has something to send', async () => {
    for (const content of [
      { title: 'T' },
      { link: 'a:b' },
      { silent: '1' },
      { apns: { a: 1 } },
      { fcm: { data: { a: 'b' } } },
    ]) {
      expect(await target.caller.post('/push/all', { ...filtered, ...content })).toMatchObject({ status: 200 })
    }
  })

  test('with nothing but how it is to be sent has nothing to send', async () => {
    for (const content of [{ ttl: 5 }, { silent: false }, { collapse: 'a' }, { apns: {} }, { image: IMAGE }]) {
      const answer = await target.caller.post('/push/all', { ...filtered, ...content })
      expectFailure(answer, 409, 'MissingParameter', 'msg is required, or sound, badge or payload.')
    }
  })

  test('without text has neither subtitle, image nor buttons', async () => {
    for (const [field, value] of [
      ['subtitle', 'S'],
      ['image', IMAGE],
      ['actions', [{ action: 'track', title: 'Track it' }]],
    ] as const) {
      const answer = await target.caller.post('/push/all', { ...filtered, sound: 'default', [field]: value })
      expectFailure(answer, 400, 'InvalidArgument', `${field} needs msg or title beside it.`)
    }
  })

  test('that is silent needs a platform only; one that is not needs all as before', async () => {
    const caller = newPushTarget(service).caller
    expect(await caller.post('/push/all', { platform: ['0', '1'], silent: true })).toMatchObject({ status: 200 })
    const missing = await caller.post('/push/all', { silent: true })
    expectFailure(missing, 409, 'MissingParameter', 'platform is required for a broadcast.')
    const loud = await caller.post('/push/all', { platform: '0', title: 'T', silent: false })
    expectFailure(loud, 409, 'MissingParameter', 'msg is required for a broadcast.')
  })
})

test('a push to one that is not silent needs msg, sound and badge as before', async () => {
  const { platform, token } = await target.newDevice('0')
  const answer = await target.caller.post('/push/one', { platform, token, silent: 'false', title: 'T' })
  expectFailure(answer, 409, 'MissingParameter', 'msg is required.')
})
