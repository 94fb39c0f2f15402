import { describe, expect, test } from 'bun:test'
import { fileService } from '../../support/file-service.ts'
import { tokensReached } from '../../support/arrivals.ts'
import { newPushTarget, PUSH_PATHS } from '../../support/push-target.ts'
import type { Device, PushPath } from '../../support/push-target.ts'
import { expectFailure, expectInvalid } from '../../support/refusals.ts'
import type { BadValue } from '../../support/refusals.ts'

const QUIET = { msg: 'x', sound: '', badge: '' }
const MAX_BADGE = 2_147_483_647

const service = await fileService()
const target = newPushTarget(service)

/** The body for APNs. */
async function apnsOf(path: PushPath, content: object): Promise<any> {
  return (await target.arrivalAt(path, await target.newDevice('0'), content)).body
}

/** What of the message for FCM depends on the content. */
async function fcmOf(path: PushPath, content: object): Promise<object> {
  const { message }: any = (await target.arrivalAt(path, await target.newDevice('1'), content)).body
  const { sound, notification_count: badge } = message.android.notification ?? {}
  return { notification: message.notification, data: message.data, sound, badge }
}

for (const path of PUSH_PATHS) {
  describe(`what arrives of a push of ${path}:`, () => {
    const everything = {
      msg: 'Grüße 👋 "quoted"\n\u0000\u2028',
      sound: 'ding.caf',
      badge: '7',
      payload: { text: 'a', count: 17, flag: true, none: null, list: [1, [], {}], nested: { a: { b: '…' } }, '': 'e' },
    }

    test('APNs gets msg, sound and badge in aps, and the payload beside it as it is', async () => {
      const aps = { alert: everything.msg, sound: 'ding.caf', badge: 7 }
      expect(await apnsOf(path, everything)).toEqual({ aps, ...everything.payload })
    })

    test('FCM gets msg, sound and badge in the notification, and the payload as strings in data, without null', async () => {
      const data = { text: 'a', count: '17', flag: 'true', list: '[1,[],{}]', nested: '{"a":{"b":"…"}}' }
      expect(await fcmOf(path, everything)).toEqual({
        notification: { body: everything.msg },
        data: { ...data, '': 'e' },
        sound: 'ding.caf',
        badge: 7,
      })
    })

    test('nothing of what is empty: a silent push that leaves the badge alone, without custom fields', async () => {
      for (const payload of [undefined, null, '', [], {}]) {
        expect(await apnsOf(path, { ...QUIET, payload })).toEqual({ aps: { alert: 'x' } })
        const nothing = { data: undefined, sound: undefined, badge: undefined }
        expect(await fcmOf(path, { ...QUIET, payload })).toEqual({ notification: { body: 'x' }, ...nothing })
      }
    })

    test('a payload that is a list is an object of its indexes', async () => {
      const payload = ['a', 17, null, [1, 'b'], { c: [] }]
      const { aps: _, ...beside } = await apnsOf(path, { ...QUIET, payload })
      expect(beside).toMatchObject({ 0: 'a', 1: 17, 2: null, 3: [1, 'b'], 4: { c: [] } })
      const { data }: any = await fcmOf(path, { ...QUIET, payload })
      expect(data).toMatchObject({ 0: 'a', 1: '17', 3: '[1,"b"]', 4: '{"c":[]}' })
      expect(data).not.toHaveProperty('2')
    })

    test('payload keys that only look like others', async () => {
      const payload: object = JSON.parse(
        `{"__proto__":"a","constructor":"b","notification":"c","data":"d","badge":"e","alert":"f","APS":"g","fromage":"h",
          "Google":"i","xgcm":"j","my_google_id":"k","a.aps":"l","aps ":"m"}`,
      )
      const { aps, ...beside } = await apnsOf(path, { ...QUIET, payload })
      expect(aps).toEqual({ alert: 'x' })
      expect(Object.entries(beside)).toEqual(Object.entries(payload))
      const { data }: any = await fcmOf(path, { ...QUIET, payload })
      expect(Object.entries(data)).toEqual(Object.entries(payload))
    })

    test('a reserved key is free inside a field of the payload', async () => {
      expect(await apnsOf(path, { ...QUIET, payload: { a: { aps: 1, from: 2 } } })).toMatchObject({ a: { aps: 1 } })
    })

    for (const [stored, badge, shown] of [
      [0, '5', 5],
      [0, 5, 5],
      [3, '0', 0],
      [3, 0, 0],
      [3, '007', 7],
      [3, '+1', 4],
      [3, '+0', 3],
      [3, '-1', 2],
      [0, '-1', 0],
      [3, '-5', 0],
      [0, String(MAX_BADGE), MAX_BADGE],
      [0, MAX_BADGE, MAX_BADGE],
      [MAX_BADGE, '+1', MAX_BADGE],
      [3, `-${MAX_BADGE}`, 0],
      [3, '', null],
    ] as const) {
      const becomes = shown === null ? 'stays' : `becomes ${shown}`
      test(`badge ${JSON.stringify(badge)} where ${stored} is stored ${becomes}`, async () => {
        for (const platform of ['0', '1']) {
          const device = await target.newDevice(platform, stored)
          const { body }: any = await target.arrivalAt(path, device, { ...QUIET, badge })
          const carried = platform === '0' ? body.aps.badge : body.message.android.notification.notification_count
          expect(carried ?? null).toBe(shown)
        }
      })
    }
  })

  describe(`a push of ${path} is refused, and nothing stored,`, () => {
    async function expectRefused(field: string, bad: readonly BadValue[], name = field): Promise<void> {
      const device = await target.newDevice('0')
      const count = service.database.reading<object, []>('SELECT count(*) FROM push')
      const before = count.get()
      const send = (value: unknown) => target.push(path, device, { ...QUIET, [field]: value })
      await expectInvalid(send, name, bad)
      expect(count.get()).toEqual(before)
    }
    const lone = ['\ud83d', '\ude00', 'a\ud83db'] as const
    const notWellFormed = 'must be well-formed Unicode, without lone surrogates'

    for (const field of ['msg', 'sound']) {
      test(`for a ${field} that is no text`, () =>
        expectRefused(field, [
          [5, 'must be a string, not 5'],
          [true, 'must be a string, not true'],
          [['a'], 'must be a string, not an array'],
          [{ body: 'a' }, 'must be a string, not an object'],
          ...lone.map((value) => [value, notWellFormed] as const),
        ]))
    }

    test('for a badge that is no badge, or out of range', () => {
      const bad: readonly (readonly [unknown, string])[] = [
        [-1, '-1'],
        [0.5, '0.5'],
        [MAX_BADGE + 1, '2147483648'],
        [1e21, '1e+21'],
        [true, 'true'],
        [[1], 'an array'],
        [{ set: 1 }, 'an object'],
        ...[
          '2147483648',
          '+2147483648',
          '-2147483648',
          '1.5',
          '1e3',
          '0x5',
          ' 5',
          '5 ',
          '+',
          '--1',
          '1-',
          'NaN',
          '٥',
        ].map((value) => [value, JSON.stringify(value)] as const),
        ['5\u0000', '"5\\u0000"'],
        ['\ud83d', '"\\ud83d"'],
        ['1'.repeat(5000), 'a string of 5000 characters'],
      ]
      const problem = `must be a whole number from 0 to ${MAX_BADGE}, "+n", "-n" or "", not`
      return expectRefused(
        'badge',
        bad.map(([value, shown]) => [value, `${problem} ${shown}`]),
      )
    })

    test('for a payload that is no object', () =>
      expectRefused('payload', [
        ['{"a":1}', 'must be an object, not "{\\"a\\":1}"'],
        [5, 'must be an object, not 5'],
        [true, 'must be an object, not true'],
      ]))

    test('for payload keys that a gateway would refuse', async () => {
      const problem =
        'is reserved by Apple or Google; not allowed are aps, from, message_type, and keys that start with google or gcm'
      for (const key of [
        'aps',
        'from',
        'message_type',
        'google.',
        'google.c.a.e',
        'googleId',
        'gcm',
        'gcm.',
        'gcm.notification.title',
      ]) {
        await expectRefused('payload', [[{ ok: 1, [key]: 'x' }, problem]], `payload.${key}`)
      }
      await expectRefused('payload', [[{ [`gcm.${'x'.repeat(100)}`]: 1 }, problem]], `payload.gcm.${'x'.repeat(28)}`)
    })

    test('for a payload with a lone surrogate, however deep, key or value', () =>
      expectRefused('payload', [
        ...lone.map((value) => [{ a: value }, notWellFormed] as const),
        ...lone.map((value) => [{ [value]: 1 }, notWellFormed] as const),
        ...lone.map((value) => [{ a: [{ b: [1, { [value]: 1 }] }] }, notWellFormed] as const),
        ...lone.map((value) => [{ a: [{ b: [1, value] }] }, notWellFormed] as const),
      ]))

    test('for a payload nested deeper than 64', async () => {
      const nested = (depth: number): object => (depth === 1 ? { a: 1 } : { a: nested(depth - 1) })
      for (const payload of [nested(65), [nested(64)]]) {
        const answer = await target.push(path, await target.newDevice('0'), { ...QUIET, payload })
        expectFailure(answer, 400, 'InvalidContent', 'The body is nested 65 levels deep: at most 64 are allowed.')
      }
      expect(await apnsOf(path, { ...QUIET, payload: nested(64) })).toMatchObject(nested(64))
    })
  })
}

test('a relative badge counts from what each device has stored, and what was accepted is stored', async () => {
  const [low, high] = [await target.newDevice('0', 1), await target.newDevice('1', 5)]
  for (const device of [low, high]) await target.caller.put('/tag', { ...device, tag: 'counting' })
  const record = async ({ token }: Device) =>
    (await service.get('/deviceToken/one', { application: target.caller.application, headers: { token } })).body
  for (const [badge, counts] of [
    ['+2', [3, 7]],
    ['-4', [0, 3]],
    ['', [0, 3]],
    ['9', [9, 9]],
  ] as const) {
    const answer = await target.caller.post('/push/all', { tags: 'counting', msg: 'x', badge })
    expect(await tokensReached(service, answer)).toHaveLength(2)
    expect([(await record(low)).badge, (await record(high)).badge]).toEqual([...counts])
  }
})
