import { afterAll, beforeAll } from 'bun:test'
import { systemClock } from '../../../src/clock.ts'
import type { Clock } from '../../../src/clock.ts'
import { h2Transport, http2Transport } from '../../../src/gateway/transport/choose-transport.ts'
import { answerTo } from '../../../src/gateway/transport/transport.ts'
import type {
  OpenTransport,
  Transport,
  TransportAnswer,
  TransportOptions,
  TransportRequest,
} from '../../../src/gateway/transport/transport.ts'
import type { Proxy } from '../../../src/gateway/transport/tunnel.ts'
import { startConnectProxy } from '../../support/connect-proxy.ts'
import type { ConnectProxy } from '../../support/connect-proxy.ts'

/** A transport that has to pass the conformance suite. */
export interface Way {
  readonly name: string
  readonly through: (clock: Clock) => OpenTransport
  /** What its reasons start with where the connection to the gateway could not be made. */
  readonly prefix: string
}

let proxy: ConnectProxy | null = null

/** Starts the proxy that one of the ways needs, for the tests of a file. */
export function useProxy(): void {
  beforeAll(async () => {
    proxy = await startConnectProxy()
  })
  afterAll(() => proxy?.[Symbol.asyncDispose]())
}

export const WAYS: readonly Way[] = [
  { name: 'h2', through: (clock) => h2Transport(clock, null), prefix: '' },
  { name: 'h2 through a proxy', through: (clock) => h2Transport(clock, ourProxy()), prefix: 'through the proxy: ' },
  { name: 'http2-wrapper', through: (clock) => http2Transport(clock, null), prefix: '' },
  {
    name: 'http2-wrapper through a proxy',
    through: (clock) => http2Transport(clock, ourProxy()),
    prefix: 'through the proxy: ',
  },
]

function ourProxy(): Proxy {
  return { host: '127.0.0.1', port: proxy?.port ?? 0, authorization: null }
}

interface GatewayAddress {
  readonly origin: string
  readonly ca: string
}

export function openWay(
  { through }: Way,
  { origin, ca }: GatewayAddress,
  options: Partial<TransportOptions> = {},
  clock = systemClock,
): AskedTransport {
  return asked(through(clock)(origin, { ca, deadlineMs: 10_000, ...options }))
}

/** A transport with promises. */
export interface AskedTransport extends Transport {
  request(request: TransportRequest): Promise<TransportAnswer>
}

export function asked(transport: Transport): AskedTransport {
  return Object.assign(transport, { request: (request: TransportRequest) => answerTo(transport, request) })
}

export const NOTE = { path: '/3/device/ab', headers: { 'apns-topic': 'com.example.app' }, body: '{"aps":{}}' }

export function statusOf(answer: TransportAnswer): number | string {
  return answer.kind === 'answer' ? answer.status : answer.reason
}

export function times<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => make(n))
}
