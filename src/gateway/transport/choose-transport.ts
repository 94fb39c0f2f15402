import { abortAfter } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { fallbackTransport } from './fallback-transport.ts'
import type { OnSwitch } from './fallback-transport.ts'
import { http2Transport } from './http2-transport.ts'
import type { OpenTransport } from './transport.ts'
import { openTunnel } from './tunnel.ts'
import type { Proxy } from './tunnel.ts'
import { watchedTransport } from './watched-transport.ts'

export interface TransportChoice {
  readonly transport: 'fetch' | 'http2-wrapper'
  /** The proxy that everything goes through; `null`: none. */
  readonly proxy: Proxy | null
}

/** The transport that the operator's settings ask for. */
export function chooseTransport(choice: TransportChoice, clock: Clock, onSwitch: OnSwitch): OpenTransport {
  const { transport, proxy } = choice
  // fetch cannot go through a proxy (HTTP2Unsupported; measured, Bun 1.4.5).
  const isFetch = transport === 'fetch' && proxy === null
  return watchedTransport(clock, isFetch ? fallbackTransport(clock, onSwitch) : http2Transport(clock, proxy))
}

/** How long a proxy has to answer when it is tried, in ms. */
const PROBE_MS = 5000

/** Why the proxy makes no tunnel to `origin`, such as `proxy: 407`; `null` when it does. Sends nothing through it. */
export async function proxyProblem(proxy: Proxy, origin: string, clock: Clock): Promise<string | null> {
  const { hostname, port } = new URL(origin)
  using deadline = abortAfter(clock, PROBE_MS)
  const tunnel = await openTunnel(proxy, `${hostname}:${port || '443'}`, deadline.signal)
  if (tunnel.kind === 'failed') return tunnel.reason
  tunnel.socket.destroy()
  return null
}
