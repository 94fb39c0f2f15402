import { beforeEach, describe, expect, test } from 'bun:test'
import { createApplicationStore } from '../../src/application/application-store.ts'
import { readExposition, valueOf } from '../monitoring/read-exposition.ts'
import { arrivalsOf } from '../support/arrivals.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { fileSending } from '../support/file-sending.ts'
import { passing } from '../support/passing.ts'
import { tokensOf } from '../support/sending.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { finishedEvents, storeFinishedEvents } from './finished-events.ts'

const IOS = 'a1'.repeat(32)
const ANDROID = 'android:1'
const NO_CREDENTIAL = ['there is no credential for APNs', 'there is no credential for FCM'] as const
const BOTH = { platform: ['0', '1'], msg: 'Hello', sound: '', badge: '' }

const use = await fileSending({ outside: true })
const { clock, service, simulator, analytics, get, logged, pass, post, put, ready, registerAll, status } = use
beforeEach(() => storeFinishedEvents(service, use.application))

/** Default: both. */
const equip = (...providers: ('apns' | 'fcm')[]) =>
  service.equip(use.application, simulator, providers.length === 0 ? undefined : providers)
const register = (platform: 0 | 1, token: string, more: object = {}) => use.register({ token, platform, ...more })
const push = (more: object = {}) => use.push({ ...BOTH, ...more })

async function statusWhen(id: string, matches: (found: any) => boolean): Promise<any> {
  let found: any
  await until(async () => matches((found = await status(id))))
  return found
}

/** As a scrape after the last count has it. */
async function metric(family: string, platform: string, more: Readonly<Record<string, string>> = {}) {
  clock.advance(2000)
  const text = await (await fetch(`${service.adminUrl}/metrics`)).text()
  return valueOf(readExposition(text), family, { application: use.name, platform, ...more })
}

const told = () => finishedEvents(service, use.application)

/** Resolves when everything due has finished. */
async function rest(): Promise<void> {
  const left = service.database.reading<{ left: number }, [number, string]>(
    `SELECT count(*) AS left FROM push p JOIN application a ON a.number = p.application
     WHERE p.send_at <= ? AND a.id = ? AND (p.released_at IS NULL
       OR EXISTS (SELECT 1 FROM delivery d WHERE d.push = p.number AND d.finished_at IS NULL))`,
  )
  await until(() => left.get(clock.now(), use.application.id)?.left === 0)
}

const HOUR_MS = 60 * 60 * 1000
const OVER = { state: 'finished', reason: null, t: 0, s: 0, failed: 0, waiting: 0, retrying: 0 }

describe.each([
  ['iOS', 'apns', 0, IOS, 'android'],
  ['Android', 'fcm', 1, ANDROID, 'ios'],
] as const)('an application with %s alone', (_, provider, platform, token, absent) => {
  const other = platform === 0 ? '1' : '0'
  beforeEach(() => equip(provider))

  test('finishes a push to both platforms, and tells of it once', async () => {
    await register(platform, token)
    const id = await push()
    await arrivalsOf(service, id)
    const found = await status(id)
    expect(found).toMatchObject({ state: 'finished', reason: null, t: 1, s: 1, waiting: 0 })
    expect(found.platforms[other]).toEqual(OVER)
    expect(told()).toEqual([{ id, t: 1, s: 1, failed: 0 }])
    expect(await analytics()).toEqual({ t: 1, s: 1, o: 0 })
  })

  test('does not make the service unready, nor alarm anybody', async () => {
    await register(platform, token)
    await arrivalsOf(service, await push())
    expect(await ready()).toMatchObject({ status: 200, body: { reasons: [], paused: [] } })
    expect(await metric('bellhop_queue_open_pushes', absent)).toBe(0)
    expect(await metric('bellhop_sender_paused', absent, { state: 'no-credential' })).toBe(0)
  })

  test('finishes each wave of a push by local time', async () => {
    await register(platform, token, { timezone: 'Europe/Berlin' })
    await register(platform, `${token.slice(0, -1)}2`, { timezone: 'America/New_York' })
    const local = new Date(clock.now() + HOUR_MS).toISOString().slice(0, 16)
    const id = await push({ send_at_local: local })
    // After two days every time zone has had that hour.
    for (let hours = 0; hours < 48; hours++) {
      clock.standStill(HOUR_MS)
      clock.advance(1000)
      await pass(rest())
    }
    expect(await status(id)).toMatchObject({ state: 'finished', t: 2, s: 2, platforms: { [other]: OVER } })
    expect(told()).toEqual([{ id, t: 2, s: 2, failed: 0 }])
  })
})

describe('an application without a credential', () => {
  test('and without devices finishes its pushes at once', async () => {
    const id = await push()
    await arrivalsOf(service, id)
    expect(await status(id)).toMatchObject({ state: 'finished', t: 0, platforms: { '0': OVER, '1': OVER } })
    expect(told()).toEqual([{ id, t: 0, s: 0, failed: 0 }])
    expect(await ready()).toMatchObject({ status: 200, body: { paused: [] } })
  })

  test.each([0, 1] as const)(
    'waits with a push that somebody is to get, and says why: platform %d',
    async (platform) => {
      const [reason, other] = [NO_CREDENTIAL[platform], platform === 0 ? '1' : '0']
      await register(platform, platform === 0 ? IOS : ANDROID)
      const id = await push()
      const found = await statusWhen(id, ({ state, t, platforms }) => t === 1 && state !== 'sending' && platforms)
      expect(found).toMatchObject({ state: 'paused', reason, waiting: 1 })
      expect(found.platforms).toMatchObject({ [platform]: { state: 'paused', reason }, [other]: OVER })
      const gateway = platform === 0 ? 'APNs' : 'FCM'
      expect(await ready()).toMatchObject({
        status: 503,
        body: {
          reasons: [`${use.name}: there is no credential for ${gateway}; pushes are waiting.`],
          paused: [{ application: use.name, platform, state: 'no-credential', open: 1 }],
        },
      })
      const [waiting, empty] = platform === 0 ? ['ios', 'android'] : ['android', 'ios']
      const pause = { state: 'no-credential' }
      expect(await metric('bellhop_sender_paused', waiting, pause)).toBe(1)
      expect(await metric('bellhop_sender_paused', empty, pause)).toBe(0)
      expect(await metric('bellhop_queue_open_pushes', waiting)).toBe(1)
      // The other end can be read before its sync; until then it counts as open.
      await until(async () => (await metric('bellhop_queue_open_pushes', empty)) === 0)
      expect(told()).toEqual([])

      equip()
      clock.advance(1000)
      await arrivalsOf(service, id)
      expect(told()).toEqual([{ id, t: 1, s: 1, failed: 0 }])
      expect((await ready()).status).toBe(200)
    },
  )

  test('waits for whoever registered before the push, and not for who came after it', async () => {
    const before = await push()
    await arrivalsOf(service, before)
    await register(0, IOS)
    const after = await push()
    await register(1, ANDROID)
    await statusWhen(after, ({ state }) => state === 'paused')
    expect(await status(before)).toMatchObject({ state: 'finished', t: 0 })
    expect(await status(after)).toMatchObject({ t: 1, platforms: { '0': { waiting: 1 }, '1': OVER } })
    expect((await post(`/push/${after}/cancel`, {})).status).toBe(200)
  })

  test('tells who came too late for a push to nobody that it did not address them', async () => {
    await register(0, IOS)
    const id = await push({ tags: ['beta'] })
    await arrivalsOf(service, id)
    const tagged = await put('/tag', { platform: '0', token: IOS, tag: 'beta' })
    expect(tagged.status).toBe(201)
    const headers = { token: IOS, platform: '0' }
    const { body } = await get(`/push/${id}/device`, { headers })
    expect(body).toMatchObject({ verdict: 'excluded', excluded_by: [] })
    expect(body.explanation).toStartWith('The push addressed no iOS device when it went out')
  })

  test('looks through large audiences in parts, in turn, and ends those with nobody in them', async () => {
    await registerAll(1, tokensOf(1, 5000))
    const nobody = { where: { not: { registered_within: 60 } } }
    const [first, all, last] = [await push(nobody), await push(), await push(nobody)]
    for (const id of [first, last]) {
      await arrivalsOf(service, id)
      expect(await status(id)).toMatchObject({ state: 'finished', t: 0 })
    }
    const waits = await statusWhen(all, ({ state }) => state === 'paused')
    expect(waits).toMatchObject({ t: 5000, waiting: 5000 })
    expect((await post(`/push/${all}/cancel`, {})).status).toBe(200)
  })
})

describe('a push to nobody ends', () => {
  const answers = {
    misconfigured: { status: 403, headers: {}, body: '{"reason":"InvalidProviderToken"}' },
    unreachable: { status: 503, headers: { 'retry-after': '600' }, body: '{"reason":"ServiceUnavailable"}' },
  }

  test.each(['misconfigured', 'unreachable'] as const)('while its gateway is %s, and another waits', async (state) => {
    equip('apns')
    for (let n = 0; n < 10; n++) await register(0, `${n}`.padEnd(64, '0'))
    simulator.answerWith(() => ({ kind: 'answer', answer: answers[state] }))
    const waiting = await push({ platform: ['0'] })
    await logged((line) => line['event'] === 'sending paused' && line['state'] === state)
    for (const empty of [{ alias: 'nobody' }, { tags: ['nosuch'], platform: ['0'] }]) {
      const id = await push(empty)
      await arrivalsOf(service, id)
      expect(await status(id)).toMatchObject({ state: 'finished', reason: null, t: 0 })
    }
    expect(await status(waiting)).toMatchObject({ state: 'paused', t: 10, s: 0 })
    expect(told().map(({ t }) => t)).toEqual([0, 0])
    simulator.answerWith(null)
    expect((await post(`/push/${waiting}/cancel`, {})).status).toBe(200)
  })

  test.each([0, null])('at the start, where it was left open by a service before: counted %p', async (addressed) => {
    const clock = createFakeClock()
    await using before = await startService({ clock, simulated: false })
    const { body } = await before.post('/push/all', BOTH)
    await arrivalsOf(before, body.id)
    before.database
      .statement<never, [number | null]>('UPDATE delivery SET finished_at = NULL, addressed = ?')
      .run(addressed)
    expect((await before.get(`/push/${body.id}`)).body).toMatchObject({ state: 'sending', finished_at: null })
    await using next = await before.restart()
    await arrivalsOf(next, body.id)
    expect((await next.get(`/push/${body.id}`)).body).toMatchObject({ state: 'finished', t: 0, s: 0 })
  })

  test('without a credential, where everybody had answered before a crash and nobody had looked for more', async () => {
    const clock = createFakeClock()
    await using before = await startService({ clock })
    for (const token of [IOS, 'b2'.repeat(32)]) await before.put('/deviceToken', { token, platform: 0, alias: token })
    const { body } = await before.post('/push/all', { msg: 'Hello', alias: IOS })
    await arrivalsOf(before, body.id)
    before.database.statement('UPDATE delivery SET finished_at = NULL, progress = 1').run()
    createApplicationStore({ database: before.database, clock }).setSimulated(before.application.id, false)
    await using next = await before.restart()
    await passing(next, clock, arrivalsOf(next, body.id))
    expect((await next.get(`/push/${body.id}`)).body).toMatchObject({ state: 'finished', t: 1, s: 1 })
  })
})
