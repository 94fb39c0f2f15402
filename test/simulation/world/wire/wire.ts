import type { TLSSocket } from 'node:tls'
import type { Clock } from '../../../../src/clock.ts'
import { ConnectionPool } from '../../../../src/gateway/transport/connection-pool.ts'
import { gatewayTransport } from '../../../../src/gateway/transport/gateway-transport.ts'
import { openSocketSession } from '../../../../src/gateway/transport/h2/socket-session.ts'
import { Http11Session } from '../../../../src/gateway/transport/http11-session.ts'
import type { Opened, SessionListener } from '../../../../src/gateway/transport/session.ts'
import type { OpenTransport, Transport, TransportOptions } from '../../../../src/gateway/transport/transport.ts'
import type { Invariant } from '../../judge/invariants.ts'
import type { Weather } from '../answers.ts'
import { answerDirectly } from '../gateways.ts'
import type { Errand, Receive } from '../gateways.ts'
import { Call } from './call.ts'
import { drawClimate, drawOpening, speaksOlder } from './climate.ts'
import { OlderPeer } from './older-peer.ts'
import { Peer } from './peer.ts'
import { SimulatedSocket } from './simulated-socket.ts'

interface Dependencies {
  readonly clock: Clock
  readonly chance: (...words: (string | number)[]) => number
  readonly receive: Receive
  readonly weatherAt: (origin: string) => Weather
  readonly fail: (invariant: Invariant, what: string) => void
  readonly note: (line: string) => void
}

/**
 * Reaches the gateways by the service's HTTP/2 client over simulated bytes. As in the service, another client is behind
 * it for gateways that break the rules.
 */
export function answerByWire(deps: Dependencies): OpenTransport {
  const { clock, chance, receive, weatherAt, fail, note } = deps
  const calls = new Map<string, Call>()
  let count = 0
  let connections = 0

  const callOf = (path: string): Call | null => calls.get(path) ?? null

  function connect(
    origin: string,
    { olderWillDo = false }: TransportOptions,
    listener: SessionListener,
    signal: AbortSignal,
  ): Promise<Opened> {
    const number = ++connections
    const random = randomNumbers(chance('connection', number))
    const weather = (): Weather => weatherAt(origin)
    const opening = drawOpening(weather(), random)
    const host = new URL(origin).host
    const isOlder = olderWillDo && speaksOlder(chance('speaks', origin), random)
    note(`connection ${number} to ${host}: ${opening}${isOlder ? ', HTTP/1.1' : ''}`)
    return new Promise((resolve) => {
      const abort = (): void => resolve({ kind: 'failed', reason: 'ECONNRESET' })
      signal.addEventListener('abort', abort)
      if (opening === 'silent') return
      clock.after(random() * 5, () => {
        if (signal.aborted) return
        if (opening === 'refused') return resolve({ kind: 'failed', reason: 'ECONNREFUSED' })
        const climate = drawClimate(weather(), random)
        const tell = (line: string): void => note(`${number} to ${host}: ${line}`)
        const options = { clock, random, climate, weather, callOf, fail, note: tell }
        const { socket } = isOlder ? new OlderPeer(options) : new Peer(options)
        signal.addEventListener('abort', () => void socket.destroy())
        if (socket instanceof SimulatedSocket) resolve(openSocketSession(socket, host, clock, listener))
        // It has everything a session uses of a TLS socket.
        else
          resolve({
            kind: 'open',
            session: new Http11Session(socket as unknown as TLSSocket, host, clock, listener),
          })
      })
    })
  }

  /** The other client takes over requests that were already handed over. */
  const handed: Receive = (_origin, request): Errand => {
    const call = callOf(request.path)
    if (call === null) throw new Error(`nobody has asked for ${request.path}`)
    return {
      decide() {
        const decision = call.decide()
        const { answer } = decision
        if (answer.kind === 'answer' || answer.sent !== 'no') call.act(decision)
        return { ...decision, answer: call.named(answer) }
      },
      heard: () => undefined,
    }
  }

  const open = gatewayTransport({
    clock,
    first: (origin, options) =>
      new ConnectionPool(clock, options, (listener, signal) => connect(origin, options, listener, signal)),
    second: chance('second way') < 0.5 ? answerDirectly(clock, handed) : null,
    onSwitch: (origin, reason) => note(`${origin} goes by the other way: ${reason}`),
  })

  return (origin, options): Transport => {
    const inner = open(origin, options)
    return {
      send(request, listener) {
        const call = new Call(++count, request, receive(origin, request, options.deadlineMs), fail)
        calls.set(call.request.path, call)
        inner.send(call.request, {
          onAnswer(answer) {
            call.end(answer)
            listener.onAnswer(answer)
          },
        })
      },
      retire: () => inner.retire(),
      get trouble() {
        return inner.trouble ?? null
      },
      get connections() {
        return inner.connections ?? 0
      },
      [Symbol.asyncDispose]: () => Promise.resolve(inner[Symbol.asyncDispose]()),
    }
  }
}

/** In [0, 1), the same for the same `seed` (xorshift, 32 bits). */
function randomNumbers(seed: number): () => number {
  let state = Math.floor(seed * 2 ** 32) | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
