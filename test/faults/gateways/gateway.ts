import type { Pem } from '../../../src/gateway/simulator/certificate.ts'
import type { OnConnection } from '../../../src/gateway/simulator/http2/http2-listener.ts'
import type { Attempt, Reply } from '../../../src/gateway/simulator/http2/reply.ts'
import type { ServerStream } from '../../../src/gateway/simulator/http2/server-stream.ts'
import { chance } from '../../support/chance.ts'
import type { Arrival } from './arrival.ts'
import { startFront } from './front.ts'
import type { FrontMode } from './front.ts'
import { GatewayConnection, IN_DOUBT_MS } from './gateway-connection.ts'
import type { Plan, PlannedReply } from './plan.ts'
import type { Notice, Protocol } from './protocol.ts'

/** The service trusts the first two. */
export interface Certificates {
  readonly usual: Pem
  readonly other: Pem
  readonly untrusted: Pem
}

export type Behind =
  | 'usual'
  | 'other certificate'
  | 'untrusted certificate'
  | 'only HTTP/1.1'
  /** A push service over HTTP/1.1. Not for other gateways. */
  | 'older'
  | Exclude<FrontMode['kind'], 'lead'>

/** A fake APNs, FCM or push service that can break while the service sends to it. */
export interface Gateway extends AsyncDisposable {
  readonly origin: string
  readonly arrivals: readonly Arrival[]
  /** Reasons of requests that the real gateway would refuse. */
  readonly faults: readonly string[]
  readonly connections: { readonly open: number; readonly total: number }
  /** Decides about each request; `null` accepts all. */
  plan: Plan | null
  /** Requests that a plan has answered. */
  readonly met: number
  /** Whether it accepts before it has read the body. */
  early: boolean
  /** Range of the usual latency in ms. Default 2 to 20. */
  latencyMs: readonly [least: number, most: number]
  /** `null`: the gateway's own limit. */
  limitStreams(streams: number | null): void
  /** Drops open connections and changes what is behind the address. */
  turn(behind: Behind): void
}

export interface GatewayOptions {
  readonly protocol: Protocol
  readonly certificates: Certificates
  readonly seed: number
  readonly life: () => number
}

export async function startGateway({ protocol, certificates, seed, life }: GatewayOptions): Promise<Gateway> {
  await using opened = new AsyncDisposableStack()
  const arrivals: Arrival[] = []
  const faults: string[] = []
  const attempts = new Map<string, number>()
  const connections = new Set<GatewayConnection>()
  const carriers = new WeakMap<ServerStream, GatewayConnection>()
  /** Requests over HTTP/1.1 since the gateway turned to it. */
  const older: Arrival[] = []
  let limit: number | null = null
  let met = 0

  const onConnection: OnConnection = (served, socket) => {
    const connection = new GatewayConnection(served, socket, life(), protocol)
    connections.add(connection)
    socket.on('close', () => connections.delete(connection))
    if (limit !== null) connection.limitStreams(limit)
    return {
      onBegin(stream) {
        if (!connection.admits(stream)) return
        carriers.set(stream, connection)
        if (gateway.early) connection.answer(stream, protocol.acceptEarly())
      },
      onClosed: (stream) => connection.closed(stream),
    }
  }

  function arrive(shown: Notice['shown'], by: number): Arrival {
    const arrival: Arrival = { ...shown, at: Date.now(), life: by, taken: true, answeredAt: null }
    arrivals.push(arrival)
    return arrival
  }

  function receive(stream: ServerStream, attempt: Attempt): void {
    const connection = carriers.get(stream)
    if (connection === undefined) return
    const notice = protocol.read(attempt)
    const arrival = arrive(notice.shown, connection.life)
    if (stream.isAnswered) arrival.answeredAt = arrival.at
    else connection.perform(stream, arrival, notice, planFor(arrival), latencyOf(arrival))
  }

  /** Accepts everything. */
  function takeOlder(attempt: Attempt): Reply {
    const notice = protocol.read(attempt)
    const arrival = arrive(notice.shown, life())
    const afterMs = latencyOf(arrival)
    older.push(arrival)
    setTimeout(() => older.includes(arrival) && (arrival.answeredAt = Date.now()), afterMs)
    return { kind: 'answer', answer: notice.accept(), afterMs }
  }

  /** Ends the HTTP/1.1 connections. Nobody knows whether the latest answers were read. */
  function endOlder(): void {
    for (const arrival of older.splice(0))
      if (Date.now() - (arrival.answeredAt ?? 0) < IN_DOUBT_MS) arrival.answeredAt = null
    front.cut()
  }

  function planFor({ token, text }: Arrival): PlannedReply {
    const key = `${text}/${token}`
    const attempt = (attempts.get(key) ?? 0) + 1
    attempts.set(key, attempt)
    const planned = gateway.plan?.({ token, text, attempt }) ?? null
    if (planned !== null) met++
    return planned ?? { kind: 'accept' }
  }

  function latencyOf({ token, text }: Arrival): number {
    const [least, most] = gateway.latencyMs
    return least + (most - least) * chance(seed, 'latency', token, String(text))
  }

  const start = async (pem: Pem) => {
    const listener = await protocol.start({
      pem,
      onConnection,
      reachedAt: () => gateway.origin,
      script: (attempt) =>
        'host' in attempt.headers
          ? takeOlder(attempt)
          : { kind: 'custom', perform: (stream) => receive(stream, attempt) },
      // The plan answers everything that passes the checks: a reason here comes from the checks.
      record: ({ reason, status }) => status !== null && reason !== null && faults.push(reason),
    })
    return opened.use(listener)
  }
  const usual = await start(certificates.usual)
  const other = await start(certificates.other)
  const untrusted = await start(certificates.untrusted)
  const old = startHttp1(certificates.usual)
  opened.defer(() => old.stop(true))
  const front = opened.use(await startFront(leadTo(usual.url)))

  const modes: Readonly<Record<Behind, FrontMode>> = {
    usual: leadTo(usual.url),
    'other certificate': leadTo(other.url),
    'untrusted certificate': leadTo(untrusted.url),
    'only HTTP/1.1': leadTo(old.url.href),
    older: leadTo(usual.relayOf?.('https://simulator.invalid/older:1') ?? old.url.href),
    close: { kind: 'close' },
    plain: { kind: 'plain' },
    mute: { kind: 'mute' },
  }
  const running = opened.move()
  const gateway: Gateway = {
    // A name, like the real gateways have: Bun counts lookups of names only.
    origin: `https://localhost:${front.port}`,
    arrivals,
    faults,
    get connections() {
      return front.connections
    },
    plan: null,
    get met() {
      return met
    },
    early: false,
    latencyMs: [2, 20],
    limitStreams(streams) {
      limit = streams
      for (const connection of connections) connection.limitStreams(streams ?? protocol.streams[1])
    },
    turn(behind) {
      front.mode = modes[behind]
      for (const connection of connections) connection.cut()
      // Connections without an answer must not learn that the gateway works again.
      if (behind !== 'usual') front.cut()
      else if (older.length > 0) endOlder()
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
  return gateway
}

function leadTo(url: string): FrontMode {
  return { kind: 'lead', port: Number(new URL(url).port) }
}

/** As behind a misled proxy: valid TLS without HTTP/2. */
function startHttp1(pem: Pem) {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { key: pem.privateKey, cert: pem.certificate },
    development: false,
    fetch: () => new Response('{}'),
  })
}
