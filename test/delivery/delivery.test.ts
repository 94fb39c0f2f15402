import { describe, expect, test } from 'bun:test'
import { arrivalsAt } from '../support/arrivals.ts'
import { fileSending } from '../support/file-sending.ts'
import { until } from '../support/until.ts'

/** GOOD is accepted. Other tokens choose an answer: src/gateway/simulator/apns/apns-magic-tokens.ts. */
const GOOD = 'a1'.repeat(32)
const order = (prefix: string) => prefix.padEnd(64, '0')

const use = await fileSending()
const { clock, service, simulator, analytics, arrivals, get, log, logged, pass, push, put, sent } = use

const register = (token: string, more: object = {}) => use.register({ token, platform: '0', ...more })
const feedback = async (): Promise<{ token: string; reason: string }[]> => (await get('/feedback')).body

describe('a push on its way', () => {
  test('reaches every device of its audience once, and is counted', async () => {
    await register(GOOD)
    await register('b2'.repeat(32))
    await sent(await push())
    expect(arrivals().map(({ token }) => token)).toEqual([GOOD, 'b2'.repeat(32)])
    expect(await analytics()).toEqual({ t: 2, s: 2, o: 0 })
  })

  test('a device that must wait is tried again after a backoff, with the same apns-id and collapse id', async () => {
    await register(order('bad42901'))
    const id = await push()
    await logged(({ event }) => event === 'to be sent again')
    expect(await analytics()).toEqual({ t: 1, s: 0, o: 0 })
    await pass(sent(id))
    const [first, second] = arrivals()
    expect([first?.status, second?.status]).toEqual([429, 200])
    expect(second?.id).toBe(first?.id ?? '')
    expect(second?.collapse).toBe(id)
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1500)
    expect(await analytics()).toEqual({ t: 1, s: 1, o: 0 })
  })

  test('a device that is gone leaves every audience and is in the feedback', async () => {
    await register(order('bad41000'), { tag: ['x'] })
    await sent(await push())
    expect(await analytics()).toEqual({ t: 1, s: 0, o: 0 })
    expect(await feedback()).toMatchObject([{ token: order('bad41000'), reason: 'Unregistered' }])
    await sent(await push({ tags: ['x'], msg: 'again' }))
    expect(arrivals()).toHaveLength(1)
    expect(await analytics()).toEqual({ t: 1, s: 0, o: 0 })
  })

  test('a device that has registered since the time the gateway names stays registered', async () => {
    await register(order('bad41010'))
    await sent(await push())
    expect(await feedback()).toEqual([])
    expect((await get('/deviceToken/one', { headers: { token: order('bad41010') } })).status).toBe(200)
  })

  test('a token that no environment knows is quarantined, and its next registration finds its data', async () => {
    await register(order('bad40000'), { tag: ['x'] })
    await sent(await push())
    expect(arrivals().map(({ environment }) => environment)).toEqual(['production', 'sandbox'])
    expect(await feedback()).toMatchObject([{ token: order('bad40000'), reason: 'BadDeviceToken' }])
    expect((await get('/deviceToken/one', { headers: { token: order('bad40000') } })).status).toBe(404)
    const back = await put('/deviceToken', { token: order('bad40000'), platform: '0' })
    expect(back.status).toBe(201)
    expect(back.body.tag).toEqual(['x'])
  })

  test('the environment that takes a token is remembered', async () => {
    await register(order('bad40010'))
    await sent(await push())
    await sent(await push())
    expect(arrivals().map(({ environment }) => environment)).toEqual(['production', 'sandbox', 'sandbox'])
    expect(await analytics()).toEqual({ t: 2, s: 2, o: 0 })
  })

  test.each([
    ['resets the stream', 'bad00011'],
    ['drops the connection', 'bad00041'],
    ['says goodbye with an error', 'bad00061'],
    ['has an internal error', 'bad50001'],
    ['never answers', 'bad00031'],
  ])('a gateway that %s once loses nothing', async (_, prefix) => {
    await register(order(prefix))
    await register(GOOD)
    await pass(sent(await push()))
    const tries = arrivals().filter(({ token }) => token === order(prefix))
    expect(tries.at(-1)?.status).toBe(200)
    expect(new Set(tries.map(({ headers }) => headers['apns-id'])).size).toBe(1)
    expect(await analytics()).toEqual({ t: 2, s: 2, o: 0 })
  })
})

describe('without a credential', () => {
  test('a push whose time to live is over ends, and is not sent when a credential comes later', async () => {
    const application = service.addApplication('never', {}, false)
    await service.put('/deviceToken', { token: GOOD, platform: '0' }, { application })
    const content = { platform: 0, msg: 'Hi', sound: '', badge: '', ttl: 5 }
    const { body } = await service.post('/push/all', content, { application })
    await pass(until(async () => (await service.get('/analytics', { application })).body.t === 1))
    await pass(logged(({ event, push }) => event === 'push expired' && push === body.id))
    service.simulate(application)
    clock.advance(1000)
    const next = await service.post('/push/all', { platform: 0, msg: 'Hi', sound: '', badge: '' }, { application })
    await pass(sent(next.body.id))
    expect(simulator.arrivals().filter(({ collapse }) => collapse === body.id)).toEqual([])
    expect((await service.get('/analytics', { application })).body).toEqual({ t: 2, s: 1, o: 0 })
  })
})

describe('an application that is deleted while it sends', () => {
  test('takes its pushes with it, and the service goes on', async () => {
    const application = service.addApplication('doomed')
    await service.put('/deviceToken', { token: order('bad00030'), platform: '0' }, { application })
    await service.put('/deviceToken', { token: order('bad42900'), platform: '0' }, { application })
    await service.post('/push/all', { platform: 0, msg: 'Hi', sound: '', badge: '' }, { application })
    await arrivalsAt(simulator, 1, ({ token }) => token === order('bad00030'))
    service.remove(application)
    clock.advance(1000)
    expect((await service.get('/analytics', { application })).status).toBe(401)
    for (let n = 0; n < 100; n++) {
      clock.advance(250)
      await Bun.sleep(2)
    }
    await register(GOOD)
    await pass(sent(await push()))
    expect(await analytics()).toEqual({ t: 1, s: 1, o: 0 })
    expect(log().filter(({ level }) => level === 'error')).toEqual([])
  })
})

describe('a clock that is put back by an hour', () => {
  test('makes nobody wait an hour whose answer is in, and whose page is not settled yet', async () => {
    await register(GOOD)
    await register('bad42901'.padEnd(64, '1'))
    await register(order('bad00000'))
    const id = await push()
    const deferred = new RegExp(`application="${use.name}",platform="ios",outcome="deferred"} 1$`, 'm')
    await until(async () => deferred.test(await (await fetch(`${service.adminUrl}/metrics`)).text()))
    clock.set(clock.now() - 3_600_000)
    const from = clock.now()
    await pass(sent(id))
    expect(clock.now() - from).toBeLessThan(60_000)
    expect(log().some(({ event }) => event === 'the clock was set back')).toBe(true)
    expect(await analytics()).toEqual({ t: 3, s: 3, o: 0 })
  })
})
