import { rssMb } from '../../../scripts/benchmark/measure/process-figures.ts'
import { DEADLINE_MS } from '../../../src/gateway/transport/transport.ts'
import type { TransportAnswer } from '../../../src/gateway/transport/transport.ts'
import { within } from '../../support/until.ts'
import { faultsOf, judge, SenderBook } from '../books.ts'
import { noteOf } from '../notes.ts'
import { sendAll } from '../sender.ts'
import type { ProvenTransport } from '../transports.ts'
import { startGatewayChild } from './gateway-child.ts'
import type { GatewayOrder } from './gateway-child.ts'

interface SoakOrder extends GatewayOrder {
  readonly transport: ProvenTransport
  /** `null`: as fast as possible. */
  readonly minutes: number | null
  readonly print: (line: string) => void
}

const IN_FLIGHT = 1000
const SECOND_MS = 1000
const MINUTE_S = 60
/** Time limit for the connections to close with the transport, in ms. */
const CLOSING_MS = 10_000

/** Releases a second's requests together, so that a cut hits as many in flight as possible. */
class Pace {
  readonly #perSecond: number
  #left: number
  #line: (() => void)[] = []

  constructor(perSecond: number) {
    this.#perSecond = perSecond
    this.#left = perSecond
  }

  turn(): Promise<void> {
    if (this.#left >= 1) {
      this.#left--
      return Promise.resolve()
    }
    return new Promise((resolve) => this.#line.push(resolve))
  }

  /** The next second. Unused turns expire. */
  second(): void {
    this.#left = (this.#left % 1) + this.#perSecond
    while (this.#left >= 1 && this.#line.length > 0) {
      this.#left--
      this.#line.shift()?.()
    }
  }
}

/** Resolves with the findings. */
export async function runSoak(order: SoakOrder): Promise<readonly string[]> {
  const { transport: proven, requests, minutes, seed, print } = order
  await using gateway = await startGatewayChild(order)
  const pace = minutes === null ? null : new Pace(requests / minutes / MINUTE_S)
  const transport = proven.open(gateway.origin, { ca: gateway.ca, deadlineMs: DEADLINE_MS })
  const book = new SenderBook(requests)
  const began = performance.now()
  let answered = 0
  let ticks = 0
  let telling = Promise.resolve()
  const firstMb = rssMb(process.pid).now
  let highestMb = firstMb
  const seconds = setInterval(() => {
    pace?.second()
    highestMb = Math.max(highestMb, rssMb(process.pid).now)
    if (++ticks % MINUTE_S === 0) telling = progress()
  }, SECOND_MS)

  async function progress(): Promise<void> {
    const { connections, harms } = await gateway.counts()
    const perSecond = Math.round((answered / (performance.now() - began)) * 1000)
    const cuts = Object.values(harms).reduce((sum, times) => sum + times, 0)
    print(
      `${ticks / MINUTE_S} min: ${answered} answered, ${perSecond}/s, ${connections} connections, ${cuts} harms, ` +
        `${rssMb(process.pid).now} MB`,
    )
  }

  const reasons = await sendAll(
    transport,
    {
      count: requests,
      inFlight: IN_FLIGHT,
      request: noteOf,
      wrongWith: wrongWithNumbers,
      onAnswered: () => void answered++,
      ...(pace !== null && { turn: () => pace.turn() }),
    },
    book,
  )
  clearInterval(seconds)
  await telling
  const tookS = (performance.now() - began) / 1000
  const lastMb = rssMb(process.pid).now
  await transport[Symbol.asyncDispose]()
  const left = await leftOpen(gateway)

  const counts = await gateway.counts()
  const verdict = judge(book, await gateway.book())
  const { attempts } = verdict
  print(
    `\n${proven.name}, seed ${seed}: ${requests} requests in ${Math.round(tookS)} s (${Math.round(requests / tookS)}/s), ` +
      `${counts.connections} connections`,
  )
  print(`harms: ${told(Object.entries(counts.harms))}`)
  print(`failed attempts: ${told([...reasons])}`)
  print(
    `attempts: ${attempts.answered} answered, ${attempts.unsent} unsent, ${attempts.unknown} unknown; ` +
      `processed ${counts.processed}, ${verdict.repeated} requests more than once after an unknown fate`,
  )
  print(`faults: ${told(Object.entries(verdict.faults))}`)
  print(`memory of the sender: ${firstMb} MB at the start, ${highestMb} at most, ${lastMb} at the end`)
  return [
    ...faultsOf(verdict),
    ...verdict.examples,
    ...counts.violations,
    ...(left > 0 ? [`${left} connections still open ${CLOSING_MS / 1000} s after the transport was closed`] : []),
  ]
}

async function leftOpen(gateway: { counts(): Promise<{ readonly openConnections: number }> }): Promise<number> {
  let left = 0
  await within(CLOSING_MS, async () => (left = (await gateway.counts()).openConnections) === 0)
  return left
}

/** The cutting gateway names the request in a header. */
export function wrongWithNumbers(
  answer: TransportAnswer & { readonly kind: 'answer' },
  n: number,
  attempt: number,
): string | null {
  const echo = answer.header('x-echo')
  if (answer.status === 200 && echo === `${n}/${attempt}`) return null
  return `status ${answer.status}, the answer of ${echo}`
}

function told(entries: readonly (readonly [string, number])[]): string {
  return entries.map(([what, times]) => `${what} ${times}`).join(', ') || 'none'
}
