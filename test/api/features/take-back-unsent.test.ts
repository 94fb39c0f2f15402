import { describe, expect, test } from 'bun:test'
import { Database as Sqlite } from 'bun:sqlite'
import type { ReceivedPush } from '../../../src/gateway/simulator/received-pushes.ts'
import { newTenant } from '../../support/caller.ts'
import { fileSending } from '../../support/file-service.ts'
import { passing } from '../../support/passing.ts'
import { expectFailure } from '../../support/refusals.ts'
import { acceptedPush, registerDevice } from '../../support/sending.ts'
import { startService } from '../../support/service.ts'
import type { Service } from '../../support/service.ts'
import { asKilled } from '../../support/temporary-directory.ts'
import { until } from '../../support/until.ts'

const NOBODY_YET = 'The push has reached no device yet: cancel it.'
const NOBODY = 'The push was sent to no device of these platforms. Browsers are reached only if platform names them.'

const { service, simulator, clock } = await fileSending()

let tenants = 0

/** An application with tokens of its own; APNs answers 503 four times for those that `start` with `bad503`. */
function newApplication({ simulated = true }: { readonly simulated?: boolean } = {}) {
  const own = newTenant(service, {}, simulated)
  const number = String(++tenants).padStart(6, '0')
  return { own, iphone: (start: string) => start.padEnd(58, '0') + number, android: `phone:${number}` }
}

const statusOf = async (own: Service, id: string) => (await own.get(`/push/${id}`)).body
const isOver = (own: Service, id: string) => until(async () => (await statusOf(own, id)).finished_at !== null)
const shown = (own: Service, id: string) => own.call('DELETE', `/push/${id}/shown`)
const replaced = (own: Service, id: string, body: object = {}, more: object = {}) =>
  own.put(`/push/${id}/shown`, { msg: 'new text', ...body }, more)
const textOf = ({ body }: ReceivedPush): string => /(old|new|newer) text/.exec(JSON.stringify(body))?.[1] ?? ''
const acceptedAt = (...tokens: string[]) =>
  simulator.arrivals().filter(({ token, status }) => tokens.includes(token) && status === 200)
const textsAt = (...tokens: string[]) => acceptedAt(...tokens).map(textOf)

describe('/push/{id}/shown of a push that nobody got', () => {
  async function paused() {
    const { own, iphone, android } = newApplication({ simulated: false })
    await registerDevice(own, { platform: '0', token: iphone('a1') })
    await registerDevice(own, { platform: '1', token: android })
    const id = await acceptedPush(own, '/push/all', { platform: ['0', '1'], msg: 'old text' })
    await until(async () => (await statusOf(own, id)).t === 2)
    expect(await statusOf(own, id)).toMatchObject({ state: 'paused', s: 0, started_at: null })
    return { own, id, tokens: [iphone('a1'), android] }
  }

  test('is refused while it waits for a credential, and changes nothing', async () => {
    const { own, id } = await paused()
    expectFailure(await replaced(own, id), 409, 'ConflictError', NOBODY_YET)
    expectFailure(await shown(own, id), 409, 'ConflictError', NOBODY_YET)
    expect(await statusOf(own, id)).toMatchObject({ state: 'paused', t: 2 })
    expect((await own.get('/pushes')).body).toHaveLength(1)
  })

  test('is refused once it is cancelled, too, and nobody gets anything with a credential', async () => {
    const { own, id, tokens } = await paused()
    expect(await own.post(`/push/${id}/cancel`, {})).toMatchObject({ status: 200 })
    for (const call of [replaced, shown]) {
      const answer = await call(own, id)
      expect(answer).toMatchObject({ status: 409, body: { code: 'ConflictError' } })
    }
    await isOver(own, id)
    for (const call of [replaced, shown]) expectFailure(await call(own, id), 409, 'ConflictError', NOBODY)
    own.simulate(own.application)
    const last = await acceptedPush(own, '/push/all', { platform: ['0', '1'], msg: 'newer text' })
    await passing(service, clock, isOver(own, last))
    expect(textsAt(...tokens)).toEqual(['newer', 'newer'])
  })

  test('is refused while its only device is tried again', async () => {
    const { own, iphone } = newApplication()
    await registerDevice(own, { platform: '0', token: iphone('bad50301') })
    const id = await acceptedPush(own, '/push/all', { msg: 'old text' })
    await own.logged(({ event, push }) => event === 'to be sent again' && push === id)
    expectFailure(await replaced(own, id), 409, 'ConflictError', NOBODY_YET)
    await passing(service, clock, isOver(own, id))
    expect(await replaced(own, id)).toMatchObject({ status: 200, body: { cancelled: false } })
  })

  test('is refused on a platform that got nothing, while another one did', async () => {
    const { own, iphone, android } = newApplication()
    await registerDevice(own, { platform: '0', token: iphone('bad50301') })
    await registerDevice(own, { platform: '1', token: android })
    const id = await acceptedPush(own, '/push/all', { platform: ['0', '1'], msg: 'old text' })
    await until(async () => (await statusOf(own, id)).platforms['1'].state === 'finished')
    await own.logged(({ event, push }) => event === 'to be sent again' && push === id)
    const answer = await shown(own, id)
    expect(answer).toMatchObject({ status: 200, body: { cancelled: true } })
    await passing(service, clock, isOver(own, answer.body.id))
    expect(await statusOf(own, answer.body.id)).toMatchObject({ t: 1, s: 1, platforms: { '1': { s: 1 } } })
  })
})

describe('/push/{id}/shown of a push whose answers have not come', () => {
  test('withdraws what may have arrived', async () => {
    const { own, iphone } = newApplication()
    const token = iphone('a1')
    await registerDevice(own, { platform: '0', token })
    let arrived = () => {}
    const first = new Promise<void>((resolve) => (arrived = resolve))
    simulator.answerWith(({ body }) => {
      if (!JSON.stringify(body).includes('old text')) return null
      arrived()
      return { kind: 'answer', answer: { status: 200, headers: {}, body: '' }, afterMs: 500 }
    })
    const id = await acceptedPush(own, '/push/all', { msg: 'old text' })
    await first
    expect(await statusOf(own, id)).toMatchObject({ s: 0, waiting: 1 })
    const answer = await shown(own, id)
    expect(answer).toMatchObject({ status: 200, body: { cancelled: true } })
    simulator.answerWith(() => null)
    await passing(service, clock, isOver(own, answer.body.id))
    expect(acceptedAt(token).map(({ pushType }) => pushType)).toContain('background')
  })

  test('does so after a kill, too, though the push is cancelled before it is sent again', async () => {
    const { own, iphone } = newApplication()
    const token = iphone('a1')
    await registerDevice(own, { platform: '0', token })
    simulator.answerWith(() => ({ kind: 'answer', answer: { status: 200, headers: {}, body: '' }, afterMs: 5000 }))
    const id = await acceptedPush(own, '/push/all', { msg: 'old text' })
    const leased = service.database.reading<object, [id: string]>(
      "SELECT 1 FROM push_exception WHERE state = 'leased' AND push = (SELECT number FROM push WHERE id = ?)",
    )
    await passing(
      service,
      clock,
      until(() => leased.get(id) !== null),
    )
    using killed = asKilled(service.data)
    simulator.answerWith(() => null)
    {
      using database = new Sqlite(`${killed.path}/bellhop.db`)
      database.run('UPDATE application SET simulated = 0')
    }
    await using started = await startService({ clock, data: killed.path, application: own.application })
    expect(await started.post(`/push/${id}/cancel`, {})).toMatchObject({ status: 200 })
    await isOver(started, id)
    const { body } = await started.get(`/push/${id}`)
    expect(body).toMatchObject({ state: 'cancelled', s: 0, failed: { total: 1, reasons: { 'no answer yet': 1 } } })
    const { body: explained } = await started.get(`/push/${id}/device`, { headers: { token } })
    expect(explained).toMatchObject({
      verdict: 'cancelled',
      explanation: expect.stringContaining('before APNs had answered: the device may have got it'),
    })
    const answer = await shown(started, id)
    expect(answer).toMatchObject({ status: 200, body: { cancelled: false } })
    started.simulate(started.application)
    await passing(started, clock, isOver(started, answer.body.id))
    expect(await statusOf(started, answer.body.id)).toMatchObject({ t: 1, s: 1 })
    await passing(service, clock, isOver(own, id))
  })
})

describe('PUT /push/{id}/shown of a push that is being sent', () => {
  async function halfSent() {
    const { own, iphone, android } = newApplication()
    const [reached, retried] = [iphone('a1'), iphone('bad50302')]
    for (const token of [reached, retried]) await registerDevice(own, { platform: '0', token })
    const id = await acceptedPush(own, '/push/all', { msg: 'old text', ttl: 600 })
    await own.logged(({ event, push }) => event === 'to be sent again' && push === id)
    await until(async () => (await statusOf(own, id)).s === 1)
    return { own, id, reached, retried, android }
  }

  test('ends it, and sends the new text to those that it has not reached, too', async () => {
    const { own, id, reached, retried } = await halfSent()
    const answer = await replaced(own, id)
    expect(answer).toMatchObject({ status: 200, body: { message: 'Replaced', cancelled: true } })
    await passing(service, clock, isOver(own, answer.body.id))
    expect(await statusOf(own, id)).toMatchObject({
      state: 'cancelled',
      t: 2,
      s: 1,
      failed: { reasons: { cancelled: 1 } },
    })
    expect(await statusOf(own, answer.body.id)).toMatchObject({ state: 'finished', t: 2, s: 2 })
    expect(textsAt(reached)).toEqual(['old', 'new'])
    expect(textsAt(retried)).toEqual(['new'])
  })

  test('leaves out those that it had been cancelled for', async () => {
    const { own, id, reached, retried } = await halfSent()
    expect(await own.post(`/push/${id}/cancel`, {})).toMatchObject({ status: 200 })
    await isOver(own, id)
    const answer = await replaced(own, id)
    expect(answer).toMatchObject({ status: 200, body: { cancelled: false } })
    await passing(service, clock, isOver(own, answer.body.id))
    expect(textsAt(reached)).toEqual(['old', 'new'])
    expect(textsAt(retried)).toEqual([])
  })

  test('is refused where it would go on with the old text', async () => {
    const { own, id, android } = await halfSent()
    await registerDevice(own, { platform: '1', token: android })
    const goesOn = 'The push is still being sent to platforms that are not named: name them too, or cancel it first.'
    expectFailure(await replaced(own, id, { platform: '1' }), 409, 'ConflictError', goesOn)
    expect(await statusOf(own, id)).toMatchObject({ state: 'sending' })
  })

  test('by local time is refused while time zones wait; once cancelled, it reaches only those where it went out', async () => {
    const { own, iphone } = newApplication()
    const zones = { reached: 'Etc/GMT', waits: 'Etc/GMT+9', passed: 'Etc/GMT-9' }
    for (const [start, timezone] of Object.entries(zones)) {
      const token = iphone(Buffer.from(start).toString('hex'))
      await registerDevice(own, { platform: '0', token, timezone })
    }
    const wall = new Date(clock.now()).toISOString().slice(0, 16)
    const answer = await own.post('/push/all', {
      platform: '0',
      msg: 'old text',
      sound: '',
      badge: '',
      send_at_local: wall,
    })
    const { id } = answer.body
    const tokens = Object.keys(zones).map((start) => iphone(Buffer.from(start).toString('hex')))
    await passing(
      service,
      clock,
      until(() => textsAt(...tokens).length === 1),
    )
    await until(async () => (await statusOf(own, id)).s === 1)
    const waits = 'The push has not been sent in every time zone yet: cancel it first.'
    expectFailure(await replaced(own, id), 409, 'ConflictError', waits)
    expect(await own.post(`/push/${id}/cancel`, {})).toMatchObject({ status: 200 })
    const again = await replaced(own, id)
    expect(again).toMatchObject({ status: 200 })
    await passing(service, clock, isOver(own, again.body.id))
    expect(acceptedAt(...tokens).map((one) => [one.token, textOf(one)])).toEqual([
      [tokens[0] ?? '', 'old'],
      [tokens[0] ?? '', 'new'],
    ])
  })
})

describe('PUT /push/{id}/shown with an Idempotency-Key', () => {
  const headers = (key: string) => ({ headers: { 'idempotency-key': key } })

  async function sent() {
    const { own, iphone } = newApplication()
    await registerDevice(own, { platform: '0', token: iphone('a1') })
    const id = await acceptedPush(own, '/push/all', { msg: 'old text' })
    await passing(service, clock, isOver(own, id))
    return { own, id, token: iphone('a1') }
  }

  test('sends once, however often it is called, and gives the first answer', async () => {
    const { own, id, token } = await sent()
    const answers = await Promise.all([1, 2].map(() => replaced(own, id, { title: 'a' }, headers('fix-1'))))
    answers.push(await replaced(own, id.toUpperCase(), { title: 'a' }, headers('fix-1')))
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      answers.map(() => [200, { message: 'Replaced', id: answers[0]?.body.id, cancelled: false }]),
    )
    await passing(service, clock, isOver(own, answers[0]?.body.id))
    expect((await own.get('/pushes')).body).toHaveLength(2)
    expect(textsAt(token)).toEqual(['old', 'new'])
    expect(await replaced(own, id, { title: 'a' }, headers('fix-2'))).toMatchObject({ status: 200 })
    expect((await own.get('/pushes')).body).toHaveLength(3)
  })

  test('refuses a key of another text, another push or another call, and a key that is none', async () => {
    const { own, id } = await sent()
    expect(await replaced(own, id, {}, headers('fix'))).toMatchObject({ status: 200 })
    const other = await acceptedPush(own, '/push/all', { msg: 'old text' }, headers('order'))
    await passing(service, clock, isOver(own, other))
    const reused = (key: string) => `Idempotency-Key ${key} was used for another push: with another path or body.`
    expectFailure(await replaced(own, id, { msg: 'newer text' }, headers('fix')), 409, 'ConflictError', reused('fix'))
    expectFailure(await replaced(own, other, {}, headers('fix')), 409, 'ConflictError', reused('fix'))
    expectFailure(await replaced(own, id, {}, headers('order')), 409, 'ConflictError', reused('order'))
    const bad = 'Idempotency-Key must be 1 to 255 visible ASCII characters.'
    expectFailure(await replaced(own, id, {}, headers('a b')), 400, 'InvalidArgument', bad)
  })

  test('does not remember a refused call', async () => {
    const { own, iphone } = newApplication()
    await registerDevice(own, { platform: '0', token: iphone('bad50301') })
    const id = await acceptedPush(own, '/push/all', { msg: 'old text' })
    await own.logged(({ event, push }) => event === 'to be sent again' && push === id)
    expectFailure(await replaced(own, id, {}, headers('fix')), 409, 'ConflictError', NOBODY_YET)
    await passing(service, clock, isOver(own, id))
    expect(await replaced(own, id, {}, headers('fix'))).toMatchObject({ status: 200 })
  })
})
