import { abortAfter } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { gatewayTransport } from './gateway-transport.ts'
import type { OnSwitch } from './gateway-transport.ts'
import { h2Transport } from './h2-transport.ts'
import { http2Transport } from './http2-transport.ts'
import type { OpenTransport } from './transport.ts'
import { openTunnel } from './tunnel.ts'
import type { Proxy } from './tunnel.ts'

export interface TransportChoice {
  readonly transport: 'h2' | 'http2-wrapper'
  /** The proxy that everything goes through; `null`: none. */
  readonly proxy: Proxy | null
}

/** The transport that the operator's settings ask for. */
export function chooseTransport(choice: TransportChoice, clock: Clock, onSwitch: OnSwitch): OpenTransport {
  const wrapper = http2Transport(clock, choice.proxy)
  return choice.transport === 'h2'
    ? gatewayTransport({ clock, first: h2Transport(clock, choice.proxy), second: wrapper, onSwitch })
    : gatewayTransport({ clock, first: wrapper, second: null, onSwitch })
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
