import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { readApnsKey } from '../../../src/application/credential.ts'
import type { ApnsCredential } from '../../../src/application/credential.ts'
import { systemClock } from '../../../src/clock.ts'
import { createApnsProvider } from '../../../src/gateway/apns/client.ts'
import type { Outcome, Recipient } from '../../../src/gateway/gateway.ts'
import { startSimulator } from '../../../src/gateway/simulator/simulator.ts'
import type { Simulator } from '../../../src/gateway/simulator/simulator.ts'
import { chooseTransport } from '../../../src/gateway/transport/choose-transport.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import type { FakeClock } from '../../support/fake-clock.ts'
import { accepted, MESSAGE, outcomeOf } from '../outcome.ts'

/* What the client makes of the simulator's worst, over real TLS and HTTP/2. */

const GOOD = 'a1'.repeat(32)
const magic = (order: string): string => order.padEnd(64, '0')

let clock: FakeClock
let simulator: Simulator
let credential: ApnsCredential
beforeAll(async () => {
  simulator = await startSimulator({ clock: createFakeClock() })
})
afterAll(() => simulator[Symbol.asyncDispose]())
beforeEach(() => {
  clock = createFakeClock()
  const read = readApnsKey({ ...simulator.issue('app').apnsKey, environment: 'auto' })
  if (read.kind === 'problem') throw new Error(read.problem)
  credential = read
})

function start() {
  const provider = createApnsProvider({
    credential,
    origins: { production: simulator.apnsUrl, sandbox: simulator.apnsSandboxUrl },
    ca: simulator.ca,
    openTransport: chooseTransport({ transport: 'h2', proxy: null }, systemClock, () => undefined),
    clock,
  })
  let device = 0
  return {
    send: (token: string): Promise<Outcome | null> => {
      const recipient: Recipient = { device: ++device, token, environment: null, badge: null }
      return outcomeOf(provider, MESSAGE, recipient)
    },
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  }
}

describe('a magic token', () => {
  test('bad0007: GOAWAY with BadCertificateEnvironment has the sandbox tried, and nobody else held up', async () => {
    const before = simulator.counts().apns.sessions
    await using apns = start()
    expect(await apns.send(magic('bad0007'))).toEqual(accepted('sandbox'))
    expect(await apns.send(GOOD)).toEqual(accepted('sandbox'))
    expect(simulator.counts().apns.sessions - before).toBe(1)
  })

  test('bad0008: GOAWAY with BadCertificate accuses the credential, once, and it heals', async () => {
    const before = simulator.counts().apns.sessions
    await using apns = start()
    const refused = { kind: 'misconfigured', reason: 'BadCertificate', certain: true } as const
    for (let n = 0; n < 5; n++) expect(await apns.send(magic('bad0008'))).toEqual(refused)
    expect(simulator.counts().apns.sessions - before).toBe(1)
    clock.advance(15_000)
    expect(await apns.send(GOOD)).toEqual(accepted('production'))
  })

  test('bad00091: GOAWAY with Shutdown has the same request go by another connection', async () => {
    await using apns = start()
    expect(await apns.send(magic('bad00091'))).toEqual(accepted('production'))
  })

  test('bad4006: goes on where the connection takes one stream at a time after a refusal', async () => {
    await using apns = start()
    await apns.send(GOOD)
    for (let n = 0; n < 10; n++) {
      expect(await apns.send(magic('bad4006'))).toMatchObject({ kind: 'rejected', reason: 'BadDeviceToken' })
      const outcomes = await Promise.all(Array.from({ length: 30 }, (_, at) => apns.send(`a2${at}`.padEnd(64, '0'))))
      expect(new Set(outcomes.map((outcome) => outcome?.kind))).toEqual(new Set(['accepted']))
    }
  })

  test('bad4291: TooManyProviderTokenUpdates among others that are taken holds up its own device alone', async () => {
    await using apns = start()
    for (let n = 0; n < 20; n++) {
      expect(await apns.send(GOOD)).toEqual(accepted('production'))
      expect(await apns.send(magic('bad4291'))).toMatchObject({ kind: 'deferred', scope: 'device' })
    }
    const outcomes: (Outcome | null)[] = []
    for (let n = 0; n < 4; n++) outcomes.push(await apns.send(magic('bad4291')))
    // Of the last one of before, two more are chance.
    expect(outcomes.map((outcome) => outcome?.kind === 'deferred' && [outcome.scope, outcome.afterMs])).toEqual([
      ['device', null],
      ['device', null],
      ['credential', 2000],
      ['credential', 2000],
    ])
  })

  test('bad4103: 410 without a time erases nobody', async () => {
    await using apns = start()
    expect(await apns.send(magic('bad4103'))).toMatchObject({ kind: 'deferred', scope: 'device' })
  })
})
