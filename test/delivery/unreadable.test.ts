import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import type { Simulator } from '../../src/gateway/simulator/simulator.ts'
import type { FakeClock } from '../support/fake-clock.ts'
import { passing } from '../support/passing.ts'
import { acceptedPush, pushSent, refusal, registerDevice, startSending, tokensOf } from '../support/sending.ts'
import type { Service } from '../support/service.ts'

/** As if a page of the database were damaged. */
let clock: FakeClock
let service: Service
let simulator: Simulator

beforeEach(async () => {
  ;({ clock, service, simulator } = await startSending())
})
afterEach(() => service[Symbol.asyncDispose]())

const REFUSED_KEY = refusal(403, 'InvalidProviderToken')
const gone = () => ({
  status: 410,
  headers: {},
  body: JSON.stringify({ reason: 'Unregistered', timestamp: clock.now() }),
})

/** More than go out before the first answer. */
const TOKENS = tokensOf(0, 30)

const UNREADABLE = 'a device cannot be read; trying again'

/** Takes the table of devices away, or puts it back, from outside. */
function rename(from: string, to: string): void {
  using other = new Database(join(service.data, 'bellhop.db'))
  other.run('PRAGMA busy_timeout = 5000')
  other.run('PRAGMA legacy_alter_table = ON')
  other.run(`ALTER TABLE ${from} RENAME TO ${to}`)
}

const takeAway = () => rename('device', 'device_away')
const putBack = () => rename('device_away', 'device')

const told = () => service.log.filter(({ event }) => event === UNREADABLE)
const isSent = (id: string) => pushSent(service, id)
const statusOf = async (id: string) => (await service.get(`/push/${id}`)).body

describe('who cannot be read', () => {
  test('before a send is sent to once it can be, without a restart, and the log tells it once in a while', async () => {
    for (const token of TOKENS) await registerDevice(service, { token, platform: '0' })
    simulator.answerWith(() => REFUSED_KEY)
    const id = await acceptedPush(service, '/push/all')
    await service.logged(({ event }) => event === 'sending paused')
    simulator.answerWith(null)
    takeAway()
    await passing(
      service,
      clock,
      service.logged(({ event }) => event === UNREADABLE),
    )
    const few = told().length
    putBack()
    await passing(service, clock, isSent(id))
    expect(await statusOf(id)).toMatchObject({ t: 30, s: 30 })
    expect(few).toBeLessThanOrEqual(2)
  })

  test('as its answer is judged is asked again, and what the gateway says then counts', async () => {
    const [token = ''] = TOKENS
    await registerDevice(service, { token, platform: '0' })
    const asked = Promise.withResolvers<void>()
    simulator.answerWith(() => {
      asked.resolve()
      return { kind: 'answer', answer: gone(), afterMs: 1000 }
    })
    const id = await acceptedPush(service, '/push/all')
    await asked.promise
    takeAway()
    await passing(
      service,
      clock,
      service.logged(({ event }) => event === UNREADABLE),
    )
    putBack()
    await passing(service, clock, isSent(id))
    expect(await statusOf(id)).toMatchObject({ t: 1, s: 0, failed: { total: 1, reasons: { Unregistered: 1 } } })
    expect((await service.get('/deviceToken/all')).body).toEqual([])
  })
})
