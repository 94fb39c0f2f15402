import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createAdminTokenStore } from '../../src/admin/admin-token-store.ts'
import type { Simulator } from '../../src/gateway/simulator/simulator.ts'
import { startSending } from '../support/sending.ts'
import type { Service } from '../support/service.ts'
import type { FakeClock } from '../support/fake-clock.ts'
import { until } from '../support/until.ts'
import { createAdminCaller } from './admin-caller.ts'
import type { AdminCall } from './admin-caller.ts'

const DAY_MS = 24 * 60 * 60 * 1000

let clock: FakeClock
let service: Service
let simulator: Simulator
let call: AdminCall
beforeAll(async () => {
  ;({ clock, service, simulator } = await startSending())
  call = createAdminCaller(service)
})
afterAll(() => service[Symbol.asyncDispose]())

let made = 0
const padded = (start: string) => start + String(++made).padStart(64 - start.length, '0')
/** Throttled the first time, which a push that ends within a second does not outlive, and accepted the second. */
const busyOnce = () => padded('bad42901')
const gone = () => padded('bad41000')
const fine = () => padded('a1')

const newShop = (simulated = true) => {
  const { id } = service.addApplication(crypto.randomUUID(), {}, simulated)
  return { id, path: `/api/applications/${id}` }
}
type Shop = ReturnType<typeof newShop>

async function register({ path }: Shop, token: string, more: object = {}): Promise<string> {
  expect(await call('PUT', `${path}/v1/deviceToken`, { token, platform: 0, ...more })).toMatchObject({ status: 201 })
  return token
}

async function push({ path }: Shop, more: object = {}): Promise<string> {
  const body = { platform: [0], msg: 'Hello', sound: '', badge: '', ttl: 1, ...more }
  const answer = await call('POST', `${path}/v1/push/all`, body)
  expect(answer.status).toBe(200)
  return answer.body.id
}

const statusOf = async ({ path }: Shop, id: string) => (await call('GET', `${path}/v1/push/${id}`)).body

async function over(shop: Shop, id: string) {
  let status = await statusOf(shop, id)
  while (status.state !== 'finished') {
    expect(status).toMatchObject({ id })
    clock.advance(100)
    await new Promise((resolve) => setImmediate(resolve))
    status = await statusOf(shop, id)
  }
  return status
}

const look = (id: string) => call('GET', `/api/pushes/${id}/resend`)
const resend = (id: string, body: object = {}, headers = {}) => call('POST', `/api/pushes/${id}/resend`, body, headers)
const arrivedAt = (token: string) => simulator.arrivals().filter((one) => one.token === token && one.status === 200)
const problem = (status: number, code: string, message: string) => ({ status, body: { code, message } })

describe('a push that is sent again', () => {
  test('goes to those it has failed for, as far as it is for them still', async () => {
    const shop = newShop()
    const named = { tag: ['news'] }
    const reached = await register(shop, fine(), named)
    const failed = await register(shop, busyOnce(), { ...named, alias: 'failed' })
    const left = await register(shop, gone(), named)
    const optedOut = await register(shop, busyOnce(), named)
    const unregistered = await register(shop, busyOnce(), named)
    const first = await push(shop, {
      tags: ['news'],
      title: 'Shop',
      link: 'shop:1',
      languages: { de: { msg: 'Hallo' } },
    })
    expect(await over(shop, first)).toMatchObject({ t: 5, s: 1, failed: { total: 4 } })
    await call('PUT', `${shop.path}/v1/tag/del`, { token: optedOut, platform: 0, tags: 'news' })
    await call('PUT', `${shop.path}/v1/deviceToken/del`, { token: unregistered, platform: 0 })
    const later = await register(shop, fine(), named)

    const shown = await look(first)
    expect(shown).toMatchObject({
      status: 200,
      body: { t: 1, platforms: { '0': 1, '1': 0 }, sample: [{ token: failed }] },
    })
    expect(shown.body.apns.body).toMatchObject({ aps: { alert: { title: 'Shop', body: 'Hello' } } })
    expect(shown.body.languages).toHaveLength(2)
    const { status, body: again } = await resend(first)
    expect({ status, again }).toEqual({ status: 200, again: { message: 'Queued', id: again.id } })
    expect(await over(shop, again.id)).toMatchObject({ t: 1, s: 1 })
    expect([reached, failed, left, optedOut, unregistered, later].map((token) => arrivedAt(token).length)).toEqual([
      1, 1, 0, 0, 0, 0,
    ])
    const { entries } = (await call('GET', '/api/log?limit=1')).body
    expect(entries).toMatchObject([{ who: 'token test', action: 'resend', subject: shop.id, detail: { push: first } }])
    const device = { token: reached, platform: '0' }
    const explained = await call('GET', `${shop.path}/v1/push/${again.id}/device`, undefined, device)
    expect(explained.body).toMatchObject({ verdict: 'excluded', excluded_by: ['resend'] })
  })

  test('goes to those too that it had not come to before it was over', async () => {
    const shop = newShop(false)
    const tokens = [await register(shop, fine()), await register(shop, fine())]
    const first = await push(shop, { ttl: 60 })
    await until(async () => (await statusOf(shop, first)).state === 'paused')
    clock.advance(61_000)
    expect(await over(shop, first)).toMatchObject({ t: 2, s: 0, failed: { total: 2, reasons: { expired: 2 } } })
    await call('POST', `${shop.path}/simulate`, { simulate: true, confirm: true })
    const late = await register(shop, fine())
    expect(await look(first)).toMatchObject({ body: { t: 2 } })
    expect(await over(shop, (await resend(first)).body.id)).toMatchObject({ t: 2, s: 2 })
    expect([...tokens, late].map((token) => arrivedAt(token).length)).toEqual([1, 1, 0])
  })

  test('has a time to live of its own, and is sent once, whoever clicks twice', async () => {
    const shop = newShop()
    await register(shop, busyOnce())
    const first = await push(shop)
    await over(shop, first)
    clock.advance(10_000)
    const key = { 'idempotency-key': 'once' }
    const [one, two] = await Promise.all([resend(first, {}, key), resend(first, {}, key)])
    expect(two).toMatchObject({ status: 200, body: one.body })
    expect(await over(shop, one.body.id)).toMatchObject({ t: 1, s: 1 })
    const message = `The push was already resent as ${one.body.id}: resend that one.`
    expect(await resend(first)).toMatchObject(problem(409, 'ConflictError', message))
    expect(await look(first)).toMatchObject(problem(409, 'ConflictError', message))
    // Of the second nobody is left.
    expect(await look(one.body.id)).toMatchObject({ status: 200, body: { t: 0 } })
  })

  test('can be called off while the application holds it back, and sent again then', async () => {
    const shop = newShop()
    await register(shop, busyOnce())
    const first = await push(shop)
    await over(shop, first)
    await call('PATCH', shop.path, { holdSeconds: 60, confirmAbove: 1 })
    await register(shop, busyOnce())
    const held = await resend(first)
    expect(held).toMatchObject({ status: 200, body: { message: 'Scheduled' } })
    expect(await call('POST', `${shop.path}/v1/push/${held.body.id}/cancel`)).toMatchObject({ status: 200 })
    expect(await resend(held.body.id)).toMatchObject(
      problem(409, 'ConflictError', 'The push was cancelled: send a new one.'),
    )
    expect(await resend(first)).toMatchObject({ status: 200 })
  })

  test('names how many it is for where the application asks for that', async () => {
    const shop = newShop()
    for (let n = 0; n < 2; n++) await register(shop, busyOnce())
    const first = await push(shop)
    await over(shop, first)
    await call('PATCH', shop.path, { confirmAbove: 1 })
    expect(await resend(first)).toMatchObject(
      problem(
        409,
        'ConflictError',
        'The push addresses 2 devices, more than confirm-above 1: repeat it with "confirm": 2.',
      ),
    )
    expect(await resend(first, { confirm: 'two' })).toMatchObject({
      status: 400,
      body: { code: 'InvalidArgument', message: expect.stringMatching(/^confirm must be /) },
    })
    expect(await resend(first, { confirm: 2 })).toMatchObject({ status: 200 })
  })

  test('is over, and there', async () => {
    const shop = newShop()
    await register(shop, fine())
    const waiting = await push(shop, { send_at: new Date(clock.now() + DAY_MS).toISOString() })
    expect(await resend(waiting)).toMatchObject(
      problem(409, 'ConflictError', 'The push has not finished: resend it then.'),
    )
    const none = '019a9f7e-3c1b-7000-8000-000000000000'
    for (const answer of [await look(none), await resend(none), await resend('nothing')]) {
      expect(answer).toMatchObject(problem(404, 'ResourceNotFound', 'No push found'))
    }
  })

  test('is still whole where the server has ended between', async () => {
    const shop = newShop(false)
    const failed = await register(shop, fine())
    const first = await push(shop)
    clock.advance(2000)
    await over(shop, first)
    await call('POST', `${shop.path}/simulate`, { simulate: true, confirm: true })
    await call('PATCH', shop.path, { holdSeconds: 60 })
    const again = (await resend(first)).body.id
    service = await service.restart()
    createAdminTokenStore({ database: service.database, clock }).revoke('test')
    simulator = await service.server.simulator()
    call = createAdminCaller(service)
    clock.advance(61_000)
    // The clock stands while it is sent: it lives for a second.
    await until(() => arrivedAt(failed).length === 1)
    expect(await over(shop, again)).toMatchObject({ t: 1, s: 1 })
  })
})
