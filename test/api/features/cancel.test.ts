import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Reply } from '../../../src/gateway/simulator/http2/reply.ts'
import type { Simulator } from '../../../src/gateway/simulator/simulator.ts'
import type { FakeClock } from '../../support/fake-clock.ts'
import { passing } from '../../support/passing.ts'
import { expectFailure } from '../../support/refusals.ts'
import { acceptedPush, registerDevices, startSending } from '../../support/sending.ts'
import type { Answer, Call, Service } from '../../support/service.ts'

const HOUR_MS = 60 * 60 * 1000
const IOS = 'a1'.repeat(32)
const BROADCAST = { platform: '0', msg: 'Hello', sound: '', badge: '+1' }

/** Requests on their way at once, at the most. */
const IN_FLIGHT = 64

let clock: FakeClock
let service: Service
let simulator: Simulator
beforeEach(async () => {
  // Calls of the test go through the same client as what is sent, which takes 256 at a time.
  ;({ clock, service, simulator } = await startSending({ config: { maxInFlight: IN_FLIGHT } }))
})
afterEach(() => service[Symbol.asyncDispose]())

const order = (prefix: string) => prefix.padEnd(64, '0')
const turn = () => new Promise((resolve) => setImmediate(resolve))

const register = (...tokens: string[]) => registerDevices(service, 0, tokens)
const push = (more: object = {}, call?: Call) => acceptedPush(service, '/push/all', { ...BROADCAST, ...more }, call)

function cancel(id: string, call?: Call): Promise<Answer> {
  return service.call('POST', `/push/${id}/cancel`, call)
}

interface DeliveryRow {
  readonly addressed: number | null
  readonly accepted: number
  readonly failed: number
  readonly finished_at: number | null
}

function deliveryOf(id: string, of = service): DeliveryRow | null {
  const row = of.database.reading<DeliveryRow, [string]>(
    `SELECT addressed, accepted, failed, finished_at FROM delivery d JOIN push p ON p.number = d.push WHERE p.id = ?`,
  )
  return row.get(id)
}

async function ended(id: string, of = service): Promise<DeliveryRow> {
  for (;;) {
    const row = deliveryOf(id, of)
    if (row !== null && row.finished_at !== null) return row
    await turn()
  }
}

/** The rows of recipients that were not simply accepted: state and reason. */
function exceptionsOf(id: string): string[] {
  const rows = service.database.reading<{ is: string }, [string]>(
    `SELECT state || ' ' || reason AS "is" FROM push_exception e JOIN push p ON p.number = e.push WHERE p.id = ?`,
  )
  return rows.all(id).map((row) => row.is)
}

/** Answers the first `free` requests at once, and lets the others wait until `answer` says how. */
function holdBack(free: number) {
  let requests = 0
  let reply: Reply | null = null
  let look = () => {}
  simulator.answerWith(() => {
    requests++
    look()
    if (requests <= free) return null
    return reply ?? { kind: 'answer', answer: { status: 200, headers: {}, body: '' }, afterMs: 5000 }
  })
  return {
    count: () => requests,
    arrived: (count: number) =>
      new Promise<void>((resolve) => {
        look = () => {
          if (requests >= count) resolve()
        }
        look()
      }),
    answerFromNowOn: (next: Reply | null) => void (reply = next),
  }
}

describe('POST /push/{id}/cancel of a push that waits', () => {
  test('keeps it from being sent for good', async () => {
    await register(IOS)
    const id = await push({ send_at: 60 })
    const answer = await cancel(id)
    expect([answer.status, answer.body]).toEqual([200, { message: 'Cancelled', state: 'scheduled', t: 0, s: 0 }])
    expect(Object.keys(answer.body)).toEqual(['message', 'state', 't', 's'])
    clock.advance(2 * 60_000)
    // Another push shows that time went on.
    await ended(await push())
    expect(simulator.arrivals()).toHaveLength(1)
    expect(deliveryOf(id)).toBeNull()
  })

  test('takes the id in capitals, as GET does', async () => {
    const id = await push({ send_at: 60 })
    expect(await cancel(id.toUpperCase())).toMatchObject({ status: 200, body: { state: 'scheduled' } })
    expect((await service.get(`/push/${id.toUpperCase()}`)).body).toMatchObject({ id, state: 'cancelled' })
  })

  test('says the same again', async () => {
    const id = await push({ send_at: 60 })
    const first = await cancel(id)
    clock.advance(120_000)
    const again = await cancel(id)
    expect([again.status, again.body]).toEqual([200, first.body])
  })

  test('is kept over a restart', async () => {
    await register(IOS)
    const id = await push({ send_at: 60 })
    await cancel(id)
    const next = await service.restart()
    try {
      clock.advance(2 * 60_000)
      await next.put('/stats', { platform: '0' })
      expect(deliveryOf(id, next)).toBeNull()
    } finally {
      await next[Symbol.asyncDispose]()
    }
  })

  test('takes all waves of one by local time along', async () => {
    await register(IOS)
    const id = await push({ send_at_local: '2026-12-24T09:00' })
    expect((await cancel(id)).body).toEqual({ message: 'Cancelled', state: 'scheduled', t: 0, s: 0 })
    const waiting = service.database.reading<{ n: number }, []>(
      'SELECT count(*) AS n FROM push WHERE cancelled_at IS NULL',
    )
    expect(waiting.get()?.n).toBe(0)
    clock.standStill(Date.UTC(2026, 11, 26) - clock.now())
    clock.advance(2000)
    await service.put('/stats', { platform: '0' })
    expect(simulator.arrivals()).toHaveLength(0)
  })
})

describe('POST /push/{id}/cancel of a push that is being sent', () => {
  test('stops it: what is on its way is still answered and counted, and nobody else gets it', async () => {
    const tokens = Array.from({ length: 3000 }, (_, n) => `a${n.toString(16).padStart(63, '0')}`)
    await register(...tokens)
    const gateway = holdBack(300)
    const id = await push()
    // As many as may be on their way wait for an answer, so no more come before there is one.
    const sent = 300 + IN_FLIGHT
    await gateway.arrived(sent)

    const answer = await cancel(id)
    expect(answer).toMatchObject({ status: 200, body: { message: 'Cancelled', state: 'sending' } })
    expect(answer.body.t).toBe(3000)
    expect(answer.body.s).toBeLessThanOrEqual(300)
    clock.advance(6000)
    const row = await ended(id)
    expect(gateway.count()).toBe(sent)
    expect(row).toMatchObject({ addressed: 3000, accepted: sent, failed: 3000 - sent })
    expect((await service.get(`/push/${id}`)).body.failed.reasons).toEqual({ cancelled: 3000 - sent })
    expect(exceptionsOf(id)).toEqual([])
    expect(new Set(simulator.arrivals().map(({ token }) => token)).size).toBe(Math.min(sent, 1000))

    // The sender goes on with others.
    simulator.answerWith(null)
    expect(await ended(await push())).toMatchObject({ accepted: 3000 })
    expect((await cancel(id)).body).toEqual({ message: 'Cancelled', state: 'sending', t: 3000, s: sent })
  })

  test('ends recipients that wait for another attempt', async () => {
    await register(IOS, order('bad42901'))
    const id = await push()
    await service.logged(({ event }) => event === 'to be sent again')
    expect(exceptionsOf(id)).toEqual(['retry TooManyRequests'])
    const answer = await cancel(id)
    expect(answer.body).toEqual({ message: 'Cancelled', state: 'sending', t: 2, s: 1 })
    expect(await ended(id)).toMatchObject({ addressed: 2, accepted: 1, failed: 1 })
    expect(exceptionsOf(id)).toEqual(['expired cancelled'])
    clock.advance(60_000)
    await ended(await push({ tags: [] }))
    expect(simulator.arrivals()).toHaveLength(2)
  })

  test('ends recipients whose answer asks for another attempt', async () => {
    await register(IOS, order('b2'))
    const gateway = holdBack(0)
    gateway.answerFromNowOn({
      kind: 'answer',
      answer: { status: 503, headers: {}, body: '{"reason":"ServiceUnavailable"}' },
      afterMs: 1000,
    })
    const id = await push()
    // The first goes alone until it is taken.
    await gateway.arrived(1)
    await cancel(id)
    clock.advance(1000)
    expect(await ended(id)).toMatchObject({ addressed: 2, accepted: 0, failed: 2 })
    expect(exceptionsOf(id)).toEqual(['expired cancelled'])
    clock.advance(60_000)
    await ended(await push({ tags: [] }))
    expect(gateway.count()).toBe(1)
  })

  test('ends recipients that are held back because the credential is refused', async () => {
    await register(IOS, order('b2'))
    const refusal = { status: 403, headers: {}, body: '{"reason":"InvalidProviderToken"}' }
    simulator.answerWith(() => ({ kind: 'answer', answer: refusal }))
    const id = await push()
    await service.logged(({ event }) => event === 'sending paused')
    expect((await cancel(id)).body).toMatchObject({ message: 'Cancelled', state: 'sending', s: 0 })
    expect(await ended(id)).toMatchObject({ accepted: 0 })
    expect(new Set(exceptionsOf(id))).toEqual(new Set(['expired cancelled']))
    simulator.answerWith(null)
    const next = await push({ msg: 'Next' })
    await passing(service, clock, ended(next))
    const taken = simulator.arrivals().filter(({ status }) => status === 200)
    expect(taken.map(({ collapse }) => collapse)).toEqual([next, next])
  })

  test('ends one that waits for a credential, in memory or not', async () => {
    const application = service.addApplication('waiting', {}, false)
    await service.put('/deviceToken', { platform: '0', token: IOS }, { application })
    const ids = await Promise.all(Array.from({ length: 80 }, () => push({}, { application })))
    for (const id of ids.slice(1)) {
      expect(await cancel(id, { application })).toMatchObject({ status: 200, body: { state: 'sending', s: 0 } })
      const { addressed, accepted, failed } = await ended(id)
      // Counted, or not yet.
      expect([accepted, failed]).toEqual([0, addressed ?? 0])
    }
    service.simulate(application)
    clock.advance(250)
    await ended(ids[0] ?? '')
    expect(simulator.arrivals().map(({ collapse }) => collapse)).toEqual([ids[0] ?? ''])
  })

  test('is not undone by a crash between the commit and the end of the sending', async () => {
    const application = service.addApplication('waiting', {}, false)
    for (const token of [IOS, order('b2')]) await service.put('/deviceToken', { platform: '0', token }, { application })
    const id = await push({}, { application })
    // What is on disk right after the answer.
    service.database
      .statement<never, [number, string]>('UPDATE push SET cancelled_at = ? WHERE id = ?')
      .run(clock.now(), id)
    const next = await service.restart()
    try {
      const { addressed, accepted, failed } = await ended(id, next)
      expect([accepted, failed]).toEqual([0, addressed ?? 0])
      next.simulate(application)
      clock.advance(250)
      const second = await next.post('/push/all', BROADCAST, { application })
      expect(await ended(second.body.id, next)).toMatchObject({ accepted: 2 })
      expect((await next.server.simulator()).arrivals()).toHaveLength(2)
    } finally {
      await next[Symbol.asyncDispose]()
    }
  })

  test('stops the wave that is out of one by local time, and the waves to come', async () => {
    const application = service.addApplication('waiting', {}, false)
    await service.put('/deviceToken', { platform: '0', token: IOS }, { application })
    const id = await push({ send_at_local: '2026-11-20T12:30' }, { application })
    clock.standStill(HOUR_MS)
    clock.advance(1000)
    const openOnes = service.database.reading<{ n: number }, []>(
      'SELECT count(*) AS n FROM delivery WHERE finished_at IS NULL',
    )
    while (openOnes.get()?.n === 0) await turn()
    expect((await cancel(id, { application })).body).toMatchObject({ message: 'Cancelled', state: 'sending', s: 0 })
    while (openOnes.get()?.n !== 0) await turn()
    service.simulate(application)
    clock.standStill(Date.UTC(2026, 10, 22) - clock.now())
    clock.advance(2000)
    await service.put('/stats', { platform: '0' })
    expect(openOnes.get()?.n).toBe(0)
    expect(simulator.arrivals()).toHaveLength(0)
  })
})

describe('POST /push/{id}/cancel is refused', () => {
  test('for a push that is over', async () => {
    await register(IOS, order('b2'))
    const id = await push()
    await ended(id)
    expectFailure(await cancel(id), 409, 'ConflictError', 'The push has finished: 2 of 2 devices were sent to.')
  })

  test('for one that is not there, or another application’s', async () => {
    const id = await push({ send_at: 60 })
    const other = service.addApplication('other')
    for (const answer of [
      await cancel('019a9f7e-3c1b-7000-8000-000000000000'),
      await cancel('17'),
      await cancel(id, { application: other }),
    ]) {
      expectFailure(answer, 404, 'ResourceNotFound', 'No push found')
    }
    // It was not touched by that.
    expect(await cancel(id)).toMatchObject({ status: 200 })
  })

  test('without the secret', async () => {
    const id = await push({ send_at: 60 })
    expectFailure(await cancel(id, { as: 'device' }), 400, 'InvalidHeader', 'Authentication headers not found.')
  })
})
