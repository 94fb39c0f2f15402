import { describe, expect, test } from 'bun:test'
import { fileService } from '../../support/file-service.ts'
import { arrivalsAt } from '../../support/arrivals.ts'
import { DAY_MS, HOUR_MS } from '../../../src/clock.ts'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { expectFailure } from '../../support/refusals.ts'
import type { Credentials } from '../../support/service.ts'
import { storeDevices } from '../../support/stored-devices.ts'

const NO_ID = '00000000-0000-7000-8000-000000000000'
const IOS = { token: 'c1'.repeat(32), platform: '0' }
const ANDROID = { token: 'android:1', platform: '1' }
const QUIET = { msg: 'Hello', sound: '', badge: '' }

const clock = createFakeClock()
// It stands still, so that the time to live of a preview is that of the push behind it.
const service = await fileService({ clock })

const CONTENTS: readonly (readonly [name: string, content: object])[] = [
  ['a message', QUIET],
  ['a badge that is added to', { msg: 'Zażółć 👋', sound: 'default', badge: '+3' }],
  ['a payload', { ...QUIET, payload: { b: 1, a: { deep: [true, null] }, 10: 'x', 2: 'y' } }],
  ['a silent push', { platform: ['0', '1'], silent: true, payload: { sync: 1 } }],
  ['a time to live and a priority', { ...QUIET, ttl: 60, priority: 'normal', collapse: 'score-17' }],
  [
    'fields of the gateways themselves',
    { ...QUIET, apns: { aps: { 'relevance-score': 0.5 }, x: 1 }, fcm: { data: { y: '2' } } },
  ],
]

/** What arrives, with zeros for what is the push's own. */
function withoutId(value: unknown, id: string): string {
  return JSON.stringify(value).replaceAll(id, NO_ID)
}

describe('previews of a large audience', () => {
  /** Questions that are asked of each device. */
  const SLOW = {
    msg: 'Hello',
    where: {
      not: { any: Array.from({ length: 199 }, (_, n) => ({ near: { lat: n / 10, lng: 50, radius_km: 5000 } })) },
    },
  }

  async function largeApplication(count = 4000): Promise<Credentials> {
    const application = service.addApplication(`large ${Bun.randomUUIDv7()}`)
    const { database } = service
    const sql = 'SELECT number FROM application WHERE id = ?'
    const number = database.statement<{ number: number }, [string]>(sql).get(application.id)?.number ?? 0
    storeDevices(database, count, (n) => ({ application: number, token: `large-${n}`, lat: -80, lng: 0 }))
    return application
  }

  test('run two at a time for an application; eight more wait, and the next is 429', async () => {
    const application = await largeApplication()
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => service.post('/push/preview', SLOW, { application })),
    )
    const refused = answers.filter(({ status }) => status !== 200)
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([...Array(10).fill(200), 429, 429])
    for (const answer of refused) {
      const message = '10 audiences of the application are being counted: try again when one is done.'
      expectFailure(answer, 429, 'TooManyRequestsError', message)
      expect(answer.headers.get('retry-after')).toBe('5')
    }
    for (const { body } of answers.filter(({ status }) => status === 200)) expect(body.t).toBe(4000)
  })

  test('stop when their caller has gone, and make room', async () => {
    const application = await largeApplication(20_000)
    const caller = new AbortController()
    const { id, secret } = application
    const calls = Array.from({ length: 11 }, () =>
      fetch(`${service.url}/push/preview`, {
        method: 'POST',
        headers: {
          'accept-version': '1',
          'content-type': 'application/json',
          'x-service-appid': id,
          'x-service-secret': secret,
        },
        body: JSON.stringify(SLOW),
        signal: caller.signal,
      }).then(
        ({ status }) => status,
        () => 'gone',
      ),
    )
    // Two run, and eight wait.
    expect(await Promise.race(calls)).toBe(429)
    caller.abort()
    const ended = await Promise.all(calls)
    expect(ended.filter((end) => end === 'gone')).toHaveLength(10)
    while ((await service.post('/push/preview', SLOW, { application })).status === 429);
    expect(service.log.filter(({ level }) => level === 'error')).toEqual([])
  })

  test('are 429 when a minute is over, and so is a push that is counted before it is sent', async () => {
    const application = await largeApplication(20_000)
    const guard = service.database.statement<never, [string]>('UPDATE application SET confirm_above = 1 WHERE id = ?')
    service.database.transact(() => void guard.run(application.id))
    await service.put('/deviceToken', IOS, { application })
    const message = 'The audience was not counted within 60 seconds: try again later, or with fewer conditions.'
    for (const path of ['/push/preview', '/push/all']) {
      const answer = service.post(path, SLOW, { application })
      const over = answer.then(() => true)
      // Each time another call has been answered, the count has had turns too.
      const another = async () => {
        await service.get('/healthz')
        clock.advance(10_000)
        return false
      }
      while (!(await Promise.race([over, another()])));
      expectFailure(await answer, 429, 'TooManyRequestsError', message)
      expect((await answer).headers.get('retry-after')).toBe('60')
    }
    expect((await service.get('/pushes', { application })).body).toEqual([])
  })
})

describe('what the preview says is what arrives:', () => {
  test.each(CONTENTS)('%s', async (_, content) => {
    const caller = newCaller(service)
    for (const device of [IOS, ANDROID]) {
      await caller.register({ ...device, tag: 'one' })
      await caller.put('/badge', { ...device, setbadgecount: 4 })
    }
    const push = { tags: 'one', ...content }
    const { status, body: preview } = await caller.post('/push/preview', push)
    expect({ status, t: preview.t, platforms: preview.platforms }).toEqual({
      status: 200,
      t: 2,
      platforms: { 0: 1, 1: 1 },
    })

    const seen = (await service.server.simulator()).arrivals().length
    const { body: accepted } = await caller.post('/push/all', push)
    const arrivals = (await arrivalsAt(await service.server.simulator(), seen + 2)).slice(-2)
    const [apns, fcm] = ['apns', 'fcm'].map((provider) => arrivals.find((one) => one.provider === provider))
    expect(JSON.stringify(preview.apns.body)).toBe(withoutId(apns?.body, accepted.id))
    expect(JSON.stringify(preview.fcm.body)).toBe(withoutId(fcm?.body, accepted.id))
    expect(preview.apns.bytes).toBe(Buffer.byteLength(JSON.stringify(apns?.body)))
    expect(preview.fcm.bytes).toBe(Buffer.byteLength(JSON.stringify(fcm?.body)))

    const { authorization, 'apns-id': id, ...headers } = preview.apns.headers
    expect(authorization).toBe('bearer …')
    expect(id).toMatch(/^00000000-0000-8000-8000-[0-9a-f]{12}$/)
    for (const [name, value] of Object.entries(headers)) {
      expect([name, value]).toEqual([name, apns?.headers[name]?.replace(accepted.id, NO_ID)])
    }
    expect(Object.keys(headers)).toHaveLength(5)
  })

  test('to one device, whose badge it counts from', async () => {
    const caller = newCaller(service)
    await caller.register({ ...IOS, alias: 'user-17' })
    await caller.put('/badge', { ...IOS, setbadgecount: 9 })
    const push = { ...IOS, msg: 'Hello', sound: '', badge: '-2' }
    const { body } = await caller.post('/push/preview', push)
    expect(body).toMatchObject({
      t: 1,
      platforms: { 0: 1, 1: 0 },
      sample: [{ ...IOS, alias: 'user-17' }],
      apns: { body: { aps: { alert: 'Hello', badge: 7 } } },
      fcm: null,
    })
  })

  test('to a Firebase Installation ID, which has a field of its own', async () => {
    const caller = newCaller(service)
    const phone = { token: 'ctmBeCwtQDuDsClbyr6d3z', platform: '1' }
    await caller.register(phone)
    const { body: preview } = await caller.post('/push/preview', { ...phone, ...QUIET })
    expect(preview.fcm.body.message).toMatchObject({ fid: phone.token })
    expect(preview.fcm.body.message).not.toHaveProperty('token')
    const { body: accepted } = await caller.post('/push/one', { ...phone, ...QUIET })
    const [arrival] = await arrivalsAt(await service.server.simulator(), 1, ({ token }) => token === phone.token)
    expect(withoutId(arrival?.body, accepted.id)).toBe(JSON.stringify(preview.fcm.body))
    expect(arrival).toMatchObject({ status: 200 })
  })

  test('without a credential there is no topic', async () => {
    const application = service.addApplication('bare', {}, false)
    const { body } = await service.post('/push/preview', { tags: 'x', ...QUIET }, { application })
    expect(body.apns.headers).not.toHaveProperty('apns-topic')
    expect(body.apns.headers['apns-push-type']).toBe('alert')
  })
})

describe('the preview', () => {
  test('shows five devices of each platform, in the order of their registration, and counts all', async () => {
    const caller = newCaller(service)
    for (let i = 0; i < 7; i++) {
      await caller.register({ token: `0${i}`.repeat(32), platform: '0', ...(i === 0 && { alias: 'first' }) })
      if (i < 3) await caller.register({ token: `phone:${i}`, platform: '1', tag: 'x' })
    }
    const { body } = await caller.post('/push/preview', { platform: ['0', '1'], ...QUIET })
    expect({ t: body.t, platforms: body.platforms }).toEqual({ t: 10, platforms: { 0: 7, 1: 3 } })
    expect(body.sample).toEqual([
      ...[0, 1, 2, 3, 4].map((i) => ({ token: `0${i}`.repeat(32), platform: '0', alias: i === 0 ? 'first' : null })),
      ...[0, 1, 2].map((i) => ({ token: `phone:${i}`, platform: '1', alias: null })),
    ])
    const { body: tagged } = await caller.post('/push/preview', { tags: 'x', ...QUIET })
    expect(tagged).toMatchObject({ t: 3, platforms: { 0: 0, 1: 3 } })
    expect(tagged.fcm.body.message.token).toBe('phone:0')
  })

  test('of a push that addresses nobody is for made-up tokens', async () => {
    const { status, body } = await newCaller(service).post('/push/preview', { tags: 'nobody', ...QUIET, badge: '+1' })
    expect({ status, t: body.t, sample: body.sample }).toEqual({ status: 200, t: 0, sample: [] })
    expect(body.apns.body).toEqual({ aps: { alert: 'Hello', badge: 1 }, bellhop: { push: NO_ID } })
    expect(body.fcm.body.message.token).toBe('registration-id')
    expect(body.apns.headers['apns-id']).toBe('00000000-0000-8000-8000-000000000000')
  })

  test('has no request for a platform that the push does not go to', async () => {
    const caller = newCaller(service)
    await caller.register(IOS)
    const { body } = await caller.post('/push/preview', { platform: ['1'], ...QUIET })
    expect(body).toMatchObject({ t: 0, apns: null })
    expect(body.fcm.body.message.notification).toEqual({ body: 'Hello' })
  })

  test('of a push for later has the time to live of then', async () => {
    const caller = newCaller(service)
    const now = await caller.post('/push/preview', { tags: 'x', ...QUIET })
    const later = await caller.post('/push/preview', { tags: 'x', ...QUIET, send_at: 3600 })
    const expiration = (answer: typeof now) => Number(answer.body.apns.headers['apns-expiration'])
    expect(expiration(later) - expiration(now)).toBe(3600)
    expect(later.body.fcm.body.message.android.ttl).toBe('86400s')
  })

  test('refuses the times that the push refuses, in the same words', async () => {
    const caller = newCaller(service, { holdSeconds: 30 })
    await caller.register({ ...IOS, tag: ['x'] })
    const iso = (ms: number) => new Date(clock.now() + ms).toISOString()
    const [past, far] = [iso(-HOUR_MS), iso(91 * DAY_MS)]
    const local = (time: string) => time.slice(0, 16)
    const times = [
      { send_at: past },
      { send_at: far },
      { send_at_local: local(iso(-2 * DAY_MS)) },
      { send_at_local: local(far) },
    ]
    for (const time of times) {
      const push = { tags: 'x', ...QUIET, ...time }
      const refused = await caller.post('/push/all', push)
      expect(refused).toMatchObject({ status: 400, body: { code: 'InvalidArgument' } })
      const preview = await caller.post('/push/preview', push)
      expect([preview.status, preview.body]).toEqual([refused.status, refused.body])
    }
    const allowed = await caller.post('/push/preview', { tags: 'x', ...QUIET, send_at_local: local(iso(HOUR_MS)) })
    expect(allowed).toMatchObject({ status: 200, body: { t: 1 } })
  })

  test('has the time to live of a push that its application holds', async () => {
    const expirationIn = async (caller: Caller) => {
      await caller.register({ ...IOS, tag: ['x'] })
      const { body } = await caller.post('/push/preview', { tags: 'x', ...QUIET })
      return Number(body.apns.headers['apns-expiration'])
    }
    const held = await expirationIn(newCaller(service, { holdSeconds: 30 }))
    expect(held - (await expirationIn(newCaller(service)))).toBe(30)
  })

  test('sends nothing and stores nothing', async () => {
    const caller = newCaller(service)
    await caller.register(IOS)
    const pushes = service.database.statement<{ count: number }, []>('SELECT count(*) AS count FROM push')
    const before = [pushes.get()?.count, (await service.server.simulator()).arrivals().length]
    for (const push of [
      { platform: ['0'], ...QUIET },
      { ...IOS, ...QUIET },
      { tags: 'x', ...QUIET, send_at: 5 },
    ]) {
      expect(await caller.post('/push/preview', push)).toMatchObject({ status: 200 })
    }
    expect([pushes.get()?.count, (await service.server.simulator()).arrivals().length]).toEqual(before)
    expect((await caller.get('/analytics')).body).toEqual({ t: 0, s: 0, o: 0 })
  })

  test('counts a registry in parts, between which others are answered', async () => {
    const caller = newCaller(service)
    await caller.register(IOS)
    const number = service.database
      .statement<{ number: number }, [string]>('SELECT number FROM application WHERE id = ?')
      .get(caller.application.id)
    storeDevices(service.database, 20_000, (n) => ({
      application: number?.number ?? 0,
      platform: 1,
      token: `many:${n}`,
    }))
    let turns = 0
    let counting = true
    const turn = () => {
      turns++
      if (counting) setImmediate(turn)
    }
    setImmediate(turn)
    const { body } = await caller.post('/push/preview', { platform: ['0', '1'], ...QUIET })
    counting = false
    expect(body).toMatchObject({ t: 20_001, platforms: { 0: 1, 1: 20_000 } })
    expect(turns).toBeGreaterThan(10)
  })
})

describe('the preview is refused like the push:', () => {
  test('what is missing', async () => {
    const broadcast = await service.post('/push/preview', { platform: ['0'], msg: 'Hello', sound: '' })
    expectFailure(broadcast, 409, 'MissingParameter', 'badge is required for a broadcast.')
    const one = await service.post('/push/preview', { ...IOS, msg: 'Hello', sound: '' })
    expectFailure(one, 409, 'MissingParameter', 'badge is required.')
  })

  test('what is wrong', async () => {
    const token = await service.post('/push/preview', { ...IOS, ...QUIET, token: 'a b' })
    expectFailure(token, 400, 'InvalidArgument', 'token must not contain white space or control characters.')
    const tags = await service.post('/push/preview', { ...QUIET, tags: 5 })
    expectFailure(tags, 400, 'InvalidArgument', 'tags must be an array of strings, not 5.')
  })

  test('what is too large', async () => {
    const answer = await service.post('/push/preview', { platform: ['0', '1'], ...QUIET, msg: 'x'.repeat(5000) })
    expect(answer).toMatchObject({ status: 400, body: { code: 'InvalidArgument' } })
    expect(answer.body.message).toMatch(/^msg, sound and payload are too large: \d+ bytes for APNs, \d+ bytes for FCM/)
  })

  test('a device that is not registered', async () => {
    const answer = await service.post('/push/preview', { ...IOS, ...QUIET })
    expectFailure(answer, 404, 'ResourceNotFound', 'No device found')
  })
})
