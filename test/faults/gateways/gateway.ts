import type { Pem } from '../../../src/gateway/simulator/certificate.ts'
import { chance } from '../stage/chance.ts'
import type { Arrival } from './arrival.ts'
import type { Incoming, Plan } from './conduct.ts'
import { startFront } from './front.ts'
import type { FrontMode } from './front.ts'
import { startHttp2Gateway } from './http2-gateway.ts'
import type { Notice, Protocol } from './protocol.ts'

/** The certificates a gateway can show. The service trusts the first two. */
export interface Certificates {
  readonly usual: Pem
  readonly other: Pem
  readonly untrusted: Pem
}

/** What is behind the address of a gateway. */
export type Behind =
  | 'usual'
  | 'other certificate'
  | 'untrusted certificate'
  | 'only HTTP/1.1'
  | Exclude<FrontMode['kind'], 'lead'>

/** A stand-in for APNs or FCM that can be broken while the service sends to it. */
export interface Gateway extends AsyncDisposable {
  readonly origin: string
  readonly arrivals: readonly Arrival[]
  /** Why requests were refused that Apple or Google would not take. */
  readonly faults: readonly string[]
  readonly connections: { readonly open: number; readonly total: number }
  /** Decides about each request; `null` accepts all. */
  plan: Plan | null
  /** Whether requests are accepted before their body is read. */
  early: boolean
  /** Milliseconds until a usual answer, at least and at most. Default 2 and 20. */
  latencyMs: readonly [least: number, most: number]
  /** `null`: as many as the real one. */
  limitStreams(streams: number | null): void
  /** Drops the connections that are in use and puts something else behind the address. */
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

  const decide = ({ of: { token, text } }: Notice) => {
    const key = `${text}/${token}`
    const attempt = (attempts.get(key) ?? 0) + 1
    attempts.set(key, attempt)
    const incoming: Incoming = { token, text, attempt }
    return gateway.plan?.(incoming) ?? ({ kind: 'accept' } as const)
  }
  const latencyMs = ({ of: { token, text } }: Notice): number => {
    const [least, most] = gateway.latencyMs
    return least + (most - least) * chance(seed, 'latency', token, String(text))
  }
  const start = (pem: Pem) =>
    startHttp2Gateway({
      protocol,
      pem,
      life,
      decide,
      latencyMs,
      record: (arrival) => void arrivals.push(arrival),
      onFault: (reason) => void faults.push(reason),
      early: () => gateway.early,
    })
  const usual = opened.use(await start(certificates.usual))
  const other = opened.use(await start(certificates.other))
  const untrusted = opened.use(await start(certificates.untrusted))
  const old = startHttp1(certificates.usual)
  opened.defer(() => old.stop(true))
  const front = opened.use(await startFront({ kind: 'lead', port: usual.port }))

  const modes: Readonly<Record<Behind, FrontMode>> = {
    usual: { kind: 'lead', port: usual.port },
    'other certificate': { kind: 'lead', port: other.port },
    'untrusted certificate': { kind: 'lead', port: untrusted.port },
    'only HTTP/1.1': { kind: 'lead', port: old.port ?? 0 },
    close: { kind: 'close' },
    plain: { kind: 'plain' },
    mute: { kind: 'mute' },
  }
  const running = opened.move()
  const gateway: Gateway = {
    origin: `https://127.0.0.1:${front.port}`,
    arrivals,
    faults,
    get connections() {
      return front.connections
    },
    plan: null,
    early: false,
    latencyMs: [2, 20],
    limitStreams(streams) {
      for (const server of [usual, other]) server.limitStreams(streams)
    },
    turn(behind) {
      front.mode = modes[behind]
      for (const server of [usual, other]) server.cut()
      // Those that were never answered are not told that they could be now.
      if (behind !== 'usual') front.cut()
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
  return gateway
}

/** What a misled proxy looks like: valid TLS, and no HTTP/2 behind it. */
function startHttp1(pem: Pem) {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { key: pem.privateKey, cert: pem.certificate },
    development: false,
    fetch: () => new Response('{}'),
  })
}
