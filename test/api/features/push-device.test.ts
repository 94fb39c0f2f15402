import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { newTenant } from '../../support/caller.ts'
import { fileSending } from '../../support/file-service.ts'
import { arrivalsAt, arrivalsOf } from '../../support/arrivals.ts'
import { expectFailure, expectRequired } from '../../support/refusals.ts'
import { acceptedPush, refusal, startSending } from '../../support/sending.ts'
import type { Answer, Call, Service } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const PUSH = { platform: ['0', '1'], msg: 'Hello', sound: '', badge: '' }
const NOW = 'This is based on the device as it is now.'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const { clock, service: shared, simulator } = await fileSending()
let service: Service
/** When the test began. */
let began: number
beforeEach(() => {
  service = newTenant(shared)
  began = clock.now()
})
afterEach(() => simulator.answerWith(null))

/** ISO 8601, UTC. */
const at = (laterMs = 0) => new Date(began + laterMs).toISOString()
const ios = (prefix: string) => prefix.padEnd(64, '0')
const PHONE = ios('a1')
const ANDROID = 'android:1'

async function register(token: string, more: object = {}, call?: Call): Promise<void> {
  const platform = token === ANDROID ? '1' : '0'
  expect([200, 201]).toContain((await service.put('/deviceToken', { token, platform, ...more }, call)).status)
}

const push = (more: object = {}, call?: Call) => acceptedPush(service, '/push/all', { ...PUSH, ...more }, call)

async function pushed(more: object = {}): Promise<string> {
  const id = await push(more)
  await arrivalsOf(service, id)
  return id
}

function ask(id: string, token: string, headers: object = {}, call: Call = {}): Promise<Answer> {
  return service.get(`/push/${id}/device`, { ...call, headers: { token, ...headers } })
}

async function why(id: string, token: string, headers: object = {}, call: Call = {}): Promise<any> {
  const { status, body } = await ask(id, token, headers, call)
  expect(status).toBe(200)
  return body
}

/** The answer as soon as it is so. */
async function whyWhen(id: string, token: string, verdict: string, call: Call = {}): Promise<any> {
  let answer: any
  await until(async () => (answer = await why(id, token, {}, call)).verdict === verdict)
  return answer
}

/** An application whose pushes wait. */
async function bare(): Promise<Call> {
  const call = { application: newTenant(shared, {}, false).application }
  await register(PHONE, {}, call)
  return call
}

describe('why a device got a push, or did not:', () => {
  test('accepted, with the apns-id that the gateway got', async () => {
    await register(PHONE)
    await register(ANDROID)
    const id = await pushed()
    const apns = (await arrivalsOf(service, id)).find((one) => one.provider === 'apns')
    expect(await why(id, PHONE)).toEqual({
      verdict: 'accepted',
      explanation: `APNs took the notification, which is not the same as shown: the phone may be off, or its owner may have notifications turned off. ${NOW}`,
      platform: '0',
      excluded_by: [],
      reason: null,
      at: null,
      attempts: null,
      next_attempt_at: null,
      apns_id: apns?.id,
      judged_now: true,
      receipts: [],
    })
    expect(await why(id, ANDROID)).toMatchObject({ verdict: 'accepted', platform: '1', apns_id: null })
  })

  test('accepted, of a push to it alone; another one was not meant', async () => {
    await register(PHONE)
    await register(ios('a2'))
    const { body } = await service.post('/push/one', { ...PUSH, platform: '0', token: PHONE })
    await arrivalsOf(service, body.id)
    expect(await why(body.id, PHONE)).toMatchObject({ verdict: 'accepted', apns_id: expect.any(String) })
    expect(await why(body.id, ios('a2'))).toMatchObject({
      verdict: 'excluded',
      excluded_by: ['token'],
      explanation: `The push excluded the device: it is not the one device that the push is for. ${NOW}`,
    })
  })

  test('opened, as the app has said: the first time', async () => {
    await register(PHONE)
    const id = await pushed()
    clock.advance(60_000)
    await service.put('/stats', { platform: '0', id, token: PHONE }, { as: 'device' })
    clock.advance(60_000)
    await service.put('/stats', { platform: '0', aid: id, token: PHONE }, { as: 'device' })
    expect(await why(id, PHONE)).toMatchObject({ verdict: 'opened', at: at(MINUTE_MS), judged_now: false })
    expect((await service.get(`/push/${id}`)).body.o).toBe(1)
  })

  test('received, and then opened, with all that the app has reported', async () => {
    await register(PHONE)
    const id = await pushed()
    const report = (body: object) =>
      service.put('/stats', { platform: '0', id, token: PHONE, ...body }, { as: 'device' })
    const received = { event: 'received', action: null, at: at() }
    await report({ event: 'received' })
    const first = await why(id, PHONE)
    expect(first).toMatchObject({ verdict: 'received', at: received.at, receipts: [received], judged_now: false })
    expect(first.apns_id).toMatch(/^[0-9a-f-]{36}$/)
    clock.advance(60_000)
    for (const again of [1, 2]) await report({ event: 'action', action: 'reply', again })
    expect(await why(id, PHONE)).toMatchObject({
      verdict: 'opened',
      receipts: [received, { event: 'action', action: 'reply', at: at(MINUTE_MS) }],
    })
    const status = { o: 0, received: 1, opened_rate: 0, received_rate: 1, actions: { reply: 1 } }
    expect((await service.get(`/push/${id}`)).body).toMatchObject(status)
    expect((await service.get('/pushes?limit=1')).body).toMatchObject([{ o: 0, received: 1 }])
  })

  test('opened, by the id that the payload carries', async () => {
    await register(PHONE)
    await register(ANDROID)
    const id = await pushed()
    const arrivals: readonly any[] = await arrivalsOf(service, id)
    for (const { token, provider, body } of arrivals) {
      const { push: carried } = provider === 'apns' ? body.bellhop : JSON.parse(body.message.data.bellhop)
      const open = { platform: provider === 'apns' ? '0' : '1', id: carried, token }
      expect(await service.put('/stats', open, { as: 'device' })).toMatchObject({ status: 200 })
      expect(await why(id, token)).toMatchObject({ verdict: 'opened' })
    }
    expect((await service.get(`/push/${id}`)).body).toMatchObject({ s: 2, o: 2 })
  })

  test('excluded, by each field that leaves it out', async () => {
    await register(PHONE, { tag: ['muted', 'beta'], active: ['news'], alias: 'user-17' })
    await register(ANDROID)
    const id = await pushed({ tags: ['vip', 'gold'], except_tags: ['muted'], active: 'news', alias: 'user-17' })
    expect(await why(id, PHONE)).toMatchObject({
      verdict: 'excluded',
      explanation: `The push excluded the device: it has none of the tags "vip", "gold" that the push addresses, and has the tag "muted", which the push excludes. ${NOW}`,
      excluded_by: ['tags', 'except_tags'],
      apns_id: null,
      judged_now: true,
    })
    const { body } = await service.post('/push/all', { ...PUSH, platform: '0' })
    await arrivalsOf(service, body.id)
    expect(await why(body.id, ANDROID)).toMatchObject({ excluded_by: ['platform'] })
  })

  test('excluded, by where it is and when it was seen', async () => {
    await register(PHONE, { lat: '52.52', lng: '13.405' })
    clock.set(clock.now() + 48 * HOUR_MS)
    const near = await pushed({ near: { lat: 48.1, lng: 11.6, radius_km: 5 } })
    expect(await why(near, PHONE)).toMatchObject({ verdict: 'excluded', excluded_by: ['near'] })
    const seen = await pushed({ seen_within: 1 })
    expect(await why(seen, PHONE)).toMatchObject({ verdict: 'excluded', excluded_by: ['seen_within'] })
  })

  test('registered_later, and before another push', async () => {
    await register(ios('a2'))
    const id = await pushed()
    clock.advance(60_000)
    await register(PHONE)
    expect(await why(id, PHONE)).toMatchObject({
      verdict: 'registered_later',
      explanation: `The device registered at ${at(MINUTE_MS)}, after the push was sent, so it was not addressed.`,
      at: at(MINUTE_MS),
    })
    expect(await why(await pushed(), PHONE)).toMatchObject({ verdict: 'accepted' })
  })

  test('not_registered: never, or not any more', async () => {
    await register(PHONE)
    const id = await pushed()
    await service.put('/deviceToken/del', { token: PHONE, platform: '0' })
    for (const token of [PHONE, ios('ff'), 'x'.repeat(4096)]) {
      expect(await why(id, token)).toMatchObject({ verdict: 'not_registered', platform: null, judged_now: false })
    }
  })

  test('gone, by this push; and by an earlier one, of the next', async () => {
    const token = ios('bad4100')
    await register(token)
    await register(PHONE)
    const id = await pushed()
    const gone = await why(id, token)
    expect(gone).toMatchObject({ verdict: 'gone', reason: 'Unregistered', at: at(), attempts: 1 })
    expect(gone.explanation).toBe(
      `The app had been removed from the device when it was sent to, at ${at()}: Unregistered.`,
    )
    clock.advance(60_000)
    expect(await why(await pushed(), token)).toMatchObject({
      verdict: 'gone',
      explanation: `APNs has declared the token gone at ${at()} (Unregistered), so it was not addressed; the device must register again.`,
      attempts: null,
    })
  })

  test('gone, of a Firebase Installation ID', async () => {
    const token = 'f_stale_00000000000001'
    await service.put('/deviceToken', { token, platform: '1' })
    const id = await pushed()
    const reason = 'UNREGISTERED_FID: the app was removed, or it has not called register() of Firebase Messaging'
    expect(await why(id, token)).toMatchObject({ verdict: 'gone', reason })
    expect((await service.get('/feedback')).body).toMatchObject([{ token, reason }])
  })

  test('accepted by the first push, and gone since', async () => {
    await register(PHONE)
    const id = await pushed()
    clock.advance(60_000)
    const body = JSON.stringify({ reason: 'Unregistered', timestamp: clock.now() })
    simulator.answerWith(() => ({ kind: 'answer', answer: { status: 410, headers: {}, body } }))
    await pushed({ platform: '0' })
    const answer = await why(id, PHONE)
    expect(answer).toMatchObject({ verdict: 'gone', reason: 'Unregistered', at: at(MINUTE_MS) })
    expect(answer.explanation).toContain('which was after the push had gone out')
  })

  test('quarantined, which the push that found it out calls rejected', async () => {
    const token = ios('bad4000')
    await register(token)
    await register(PHONE)
    const id = await pushed()
    expect(await why(id, token)).toMatchObject({ verdict: 'rejected', reason: 'BadDeviceToken', attempts: 1 })
    clock.advance(60_000)
    expect(await why(await pushed(), token)).toMatchObject({
      verdict: 'quarantined',
      reason: 'BadDeviceToken',
      at: at(),
    })
  })

  test('rejected, with the word of the gateway', async () => {
    const token = ios('bad4130')
    await register(token)
    const id = await pushed()
    const { explanation, ...answer } = await why(id, token)
    expect(answer).toMatchObject({
      verdict: 'rejected',
      reason: 'PayloadTooLarge',
      at: at(),
      apns_id: expect.any(String),
    })
    expect(explanation).toBe(`APNs refused the notification for this device at ${at()}: PayloadTooLarge.`)
  })

  test('retrying, until it is accepted', async () => {
    const token = ios('bad42901')
    await register(token)
    const id = await push({ platform: '0' })
    // Its row can be read a moment before the delivery knows of it.
    await service.logged(({ event, push }) => event === 'to be sent again' && push === id)
    const waiting = await why(id, token)
    expect(waiting).toMatchObject({ verdict: 'retrying', reason: 'TooManyRequests', attempts: 1, judged_now: false })
    expect(Date.parse(waiting.next_attempt_at)).toBeGreaterThan(clock.now())
    clock.advance(30 * 60_000)
    await whyWhen(id, token, 'accepted')
  })

  test('waiting, while the push has not come to it; expired, when that is too late', async () => {
    const call = await bare()
    const id = await push({ platform: '0', ttl: 60 }, call)
    const waiting = await why(id, PHONE, {}, call)
    expect(waiting).toMatchObject({ verdict: 'waiting', reason: 'there is no credential for APNs', judged_now: true })
    while ((await service.get(`/push/${id}`, call)).body.t === 0);
    clock.advance(61_000)
    const expired = await whyWhen(id, PHONE, 'expired', call)
    expect(expired).toMatchObject({ at: at(MINUTE_MS), judged_now: true })
  })

  test('waiting, for the answer to what was sent; expired, after attempts', async () => {
    const token = ios('bad5000')
    await register(token)
    const id = await push({ platform: '0', ttl: 60 })
    await whyWhen(id, token, 'retrying')
    for (let minute = 0; minute < 3; minute++) clock.advance(60_000)
    const { reason, attempts } = await whyWhen(id, token, 'expired')
    expect(reason).toBe('InternalServerError')
    expect(attempts).toBeGreaterThan(0)
  })

  test('expired, while time is left, if the gateway asks for more of it', async () => {
    const busy = refusal(429, 'TooManyRequests', { 'retry-after': '7200' })
    simulator.answerWith(() => busy)
    await register(PHONE)
    const id = await push({ platform: '0', ttl: 3600 })
    expect(await whyWhen(id, PHONE, 'expired')).toMatchObject({
      explanation: `APNs did not take it at ${at()} (TooManyRequests), and asked for a wait beyond the push's time to live, which ends at ${at(HOUR_MS)}. So it is not sent again.`,
      at: at(),
      attempts: 1,
      next_attempt_at: null,
    })
  })

  test('waiting, if the push is cancelled before the answer comes; accepted with it', async () => {
    let isOnItsWay = false
    simulator.answerWith(() => {
      isOnItsWay = true
      return { kind: 'answer', answer: { status: 200, headers: {}, body: '' }, afterMs: 1000 }
    })
    await register(PHONE)
    const id = await push({ platform: '0' })
    await until(() => isOnItsWay)
    expect(await service.call('POST', `/push/${id}/cancel`)).toMatchObject({ status: 200 })
    expect(await why(id, PHONE)).toMatchObject({
      verdict: 'waiting',
      explanation: `The push was cancelled at ${at()}, and waits for answers to what was sent before. Whether it was sent to this device is not known yet. ${NOW}`,
    })
    clock.advance(1000)
    await whyWhen(id, PHONE, 'accepted')
    expect((await service.get(`/push/${id}`)).body).toMatchObject({ s: 1 })
  })

  test('cancelled, before it was reached, and while it waited', async () => {
    const call = await bare()
    const first = await push({ platform: '0' }, call)
    while ((await service.get(`/push/${first}`, call)).body.t === 0);
    expect(await service.call('POST', `/push/${first}/cancel`, call)).toMatchObject({ status: 200 })
    expect(await whyWhen(first, PHONE, 'cancelled', call)).toMatchObject({ at: at(), attempts: null })

    const token = ios('bad5000')
    await register(token)
    const second = await push({ platform: '0' })
    await whyWhen(second, token, 'retrying')
    expect(await service.call('POST', `/push/${second}/cancel`)).toMatchObject({ status: 200 })
    expect(await whyWhen(second, token, 'cancelled')).toMatchObject({ attempts: 1, reason: 'cancelled' })
  })

  test('scheduled, or excluded as it is now; cancelled with the push', async () => {
    await register(PHONE, { tag: 'beta' })
    await register(ios('a2'))
    const id = await push({ tags: 'beta', send_at: 60 })
    expect(await why(id, PHONE)).toMatchObject({
      verdict: 'scheduled',
      explanation: `The push goes out at ${at(MINUTE_MS)}, and addresses the device as it is now.`,
    })
    expect(await why(id, ios('a2'))).toMatchObject({ verdict: 'excluded', excluded_by: ['tags'] })
    expect(await service.call('POST', `/push/${id}/cancel`)).toMatchObject({ status: 200 })
    expect(await why(id, PHONE)).toMatchObject({ verdict: 'cancelled', at: at() })
  })

  test('of a push by local time, by the wave of its time zone', async () => {
    // The zones' hours are those of one day.
    const own = await startSending()
    await using whole = own.service
    service = whole
    const [berlin, lisbon, auckland] = [ios('a1'), ios('a2'), ios('a3')]
    await register(berlin, { timezone: 'Europe/Berlin' })
    await register(lisbon, { timezone: 'Europe/Lisbon' })
    await register(auckland, { timezone: 'Pacific/Auckland' })
    const id = await push({ send_at_local: '2026-11-20T13:05' })
    expect(await why(id, berlin)).toMatchObject({
      verdict: 'scheduled',
      explanation: 'The push goes out at 2026-11-20T12:05:00.000Z, and addresses the device as it is now.',
    })
    expect(await why(id, auckland)).toMatchObject({ verdict: 'excluded', excluded_by: ['send_at_local'] })
    own.clock.advance(5 * MINUTE_MS)
    const accepted = await whyWhen(id, berlin, 'accepted')
    const [arrival] = await arrivalsAt(own.simulator, 1)
    expect(accepted.apns_id).toBe(arrival?.id)
    // Not that of its turn, which nobody has been told.
    expect(arrival?.body).toMatchObject({ bellhop: { push: id } })
    await service.put('/stats', { platform: '0', id, token: berlin }, { as: 'device' })
    expect(await why(id, berlin)).toMatchObject({ verdict: 'opened' })
    expect(await why(id, lisbon)).toMatchObject({ verdict: 'scheduled' })
  })

  test('not judged by what another application has', async () => {
    await register(PHONE)
    const call = { application: newTenant(shared).application }
    await register(ANDROID, {}, call)
    const id = await push({ platform: '1' }, call)
    expect(await why(id, PHONE, {}, call)).toMatchObject({ verdict: 'not_registered' })
  })
})

describe('the device is named by headers', () => {
  test('of both platforms that hold the token, the one seen last, or the one of that platform', async () => {
    await register(PHONE)
    clock.advance(1000)
    await service.put('/deviceToken', { token: PHONE, platform: '1' })
    const id = await pushed({ platform: '0' })
    expect(await why(id, PHONE)).toMatchObject({ platform: '1', excluded_by: ['platform'] })
    expect(await why(id, PHONE, { platform: '0' })).toMatchObject({ platform: '0', verdict: 'accepted' })
  })

  test('the token is needed', async () => {
    const id = await pushed()
    const send = (token: unknown) =>
      service.get(`/push/${id}/device`, { headers: { token: token === undefined ? null : '' } })
    await expectRequired(send, 'token header is required.', [undefined, ''])
  })

  test('a platform that is none is refused', async () => {
    const answer = await ask(await pushed(), PHONE, { platform: 'ios' })
    expectFailure(answer, 400, 'InvalidArgument', 'platform header must be 0, 1 or 2, not "ios".')
  })
})

describe('PUT /stats with a token', () => {
  test('of no device, or with what is no token, counts the open all the same', async () => {
    await register(PHONE)
    const id = await pushed()
    for (const token of [ios('ff'), 5, ['x'], {}, 'a b', '', null]) {
      const answer = await service.put('/stats', { platform: '0', id, token })
      expect(answer).toMatchObject({ status: 200, body: { message: 'Open recorded' } })
    }
    expect((await service.get(`/push/${id}`)).body.o).toBe(7)
    expect(await why(id, PHONE)).toMatchObject({ verdict: 'accepted' })
  })

  test('is of the device on that platform', async () => {
    await register(PHONE)
    const id = await pushed()
    await service.put('/stats', { platform: '1', id, token: PHONE })
    expect(await why(id, PHONE)).toMatchObject({ verdict: 'accepted' })
  })

  test('of another application notes nothing', async () => {
    await register(PHONE)
    const id = await pushed()
    const { application } = newTenant(shared)
    await register(PHONE, {}, { application })
    await service.put('/stats', { platform: '0', id, token: PHONE }, { application })
    expect(await why(id, PHONE)).toMatchObject({ verdict: 'accepted' })
    const rows = service.database.statement<{ count: number }, [string]>(
      'SELECT count(*) AS count FROM receipt r JOIN push p ON p.number = r.push WHERE p.id = ?',
    )
    expect(rows.get(id)?.count).toBe(0)
  })
})
