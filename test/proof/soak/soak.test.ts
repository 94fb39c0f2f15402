import { describe, expect, test } from 'bun:test'
import type { Transport, TransportAnswer } from '../../../src/gateway/transport/transport.ts'
import { seededRandom } from '../../support/chance.ts'
import { faultsOf, GatewayBook, judge, SenderBook } from '../books.ts'
import { noteOf } from '../notes.ts'
import { sendAll } from '../sender.ts'
import { TRANSPORTS } from '../transports.ts'
import type { ProvenTransport } from '../transports.ts'
import { startCuttingGateway } from './cutting-gateway.ts'
import { HARMS } from './harms.ts'
import type { Harm } from './harms.ts'
import { wrongWithNumbers } from './soak.ts'

/* The short form of `bun run transports soak`: the gateway in this process, few requests, one in 25 harmed. */

const COUNT = 600
const HARM_EVERY = 25
/** A hang takes a whole deadline. */
const QUICK = HARMS.filter((harm) => harm !== 'hang')
/** Processed, with an outcome that the sender cannot know. */
const LOSING_ANSWERS: readonly Harm[] = ['reset', 'break', 'cut']

interface Soaked {
  readonly harms?: readonly Harm[]
  /** Wraps the transport. */
  readonly change?: (transport: Transport) => Transport
}

async function soak({ open }: ProvenTransport, { harms = QUICK, change = (transport) => transport }: Soaked = {}) {
  const processed = new GatewayBook(COUNT)
  const random = seededRandom(5)
  await using gateway = await startCuttingGateway({ book: processed, random, harmEvery: HARM_EVERY, harms })
  await using transport = open(gateway.origin, { ca: gateway.ca, deadlineMs: 15_000 })
  const sent = new SenderBook(COUNT)
  const load = { count: COUNT, inFlight: 500, request: noteOf, wrongWith: wrongWithNumbers }
  await sendAll(change(transport), load, sent)
  return { verdict: judge(sent, processed), counts: gateway.counts() }
}

const INVENTED: TransportAnswer = { kind: 'answer', status: 200, header: () => null, body: '' }

/** A transport with other answers. */
function changed(transport: Transport, answer: (answer: TransportAnswer) => TransportAnswer): Transport {
  return {
    send: (request, listener) => transport.send(request, { onAnswer: (one) => listener.onAnswer(answer(one)) }),
    retire: () => transport.retire(),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}

describe.each(TRANSPORTS)('$name and a gateway that cuts connections', (proven) => {
  test('lose no request, double none that was known to be processed, and break no rule', async () => {
    const { verdict, counts } = await soak(proven)
    expect(verdict.examples).toEqual([])
    expect(faultsOf(verdict)).toEqual([])
    expect(counts.violations).toEqual([])
    expect(verdict.attempts.answered).toBe(COUNT)
    // Otherwise the gateway did no harm.
    expect(Object.keys(counts.harms).length).toBeGreaterThan(3)
  })
})

describe('a transport is found out', () => {
  const [proven] = TRANSPORTS as readonly [ProvenTransport]

  test('that says "unsent" of what the gateway may have processed', async () => {
    const { verdict } = await soak(proven, {
      harms: LOSING_ANSWERS,
      change: (transport) =>
        changed(transport, (answer) => (answer.kind === 'failed' ? { ...answer, sent: 'no' } : answer)),
    })
    expect(verdict.faults['processed though unsent']).toBeGreaterThan(0)
  })

  test('that sends again on its own what the gateway may have processed', async () => {
    const { verdict } = await soak(proven, {
      harms: LOSING_ANSWERS,
      change: (transport) => ({
        ...changed(transport, (answer) => answer),
        send: (request, listener) =>
          transport.send(request, {
            onAnswer: (answer) =>
              answer.kind === 'failed' ? transport.send(request, listener) : listener.onAnswer(answer),
          }),
      }),
    })
    expect(verdict.faults.doubled).toBeGreaterThan(0)
  })

  test('that answers what it has not sent', async () => {
    const { verdict } = await soak(proven, {
      change(transport) {
        let n = 0
        return {
          ...changed(transport, (answer) => answer),
          send: (request, listener) =>
            ++n % 100 === 0 ? listener.onAnswer(INVENTED) : transport.send(request, listener),
        }
      },
    })
    expect(verdict.faults.lost).toBeGreaterThan(0)
    expect(verdict.faults['answered though unprocessed']).toBeGreaterThan(0)
    expect(verdict.faults['wrong answer']).toBeGreaterThan(0)
  })
})
