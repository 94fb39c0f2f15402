import type { TLSSocket } from 'node:tls'
import { abortAfter } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { ConnectionPool } from './connection-pool.ts'
import { gatewayTransport } from './gateway-transport.ts'
import type { OnSwitch } from './gateway-transport.ts'
import { openSocketSession } from './h2/socket-session.ts'
import { openSecureSocket } from './secure-socket.ts'
import type { TlsResumption } from './secure-socket.ts'
import type { Opened, SessionListener } from './session.ts'
import type { OpenTransport, TransportOptions } from './transport.ts'
import { openTunnel } from './tunnel.ts'
import type { Proxy } from './tunnel.ts'

export interface TransportChoice {
  readonly transport: 'h2' | 'http2-wrapper'
  readonly proxy: Proxy | null
}

export function chooseTransport(choice: TransportChoice, clock: Clock, onSwitch: OnSwitch): OpenTransport {
  const wrapper = http2Transport(clock, choice.proxy)
  return choice.transport === 'h2'
    ? gatewayTransport({ clock, first: h2Transport(clock, choice.proxy), second: wrapper, onSwitch })
    : gatewayTransport({ clock, first: wrapper, second: null, onSwitch })
}

export function h2Transport(clock: Clock, proxy: Proxy | null): OpenTransport {
  return pooled(clock, proxy, (socket, { host }, listener, options) =>
    openSocketSession(socket, host, clock, listener, options),
  )
}

/** By http2-wrapper, for gateways that our own client can't talk to. */
export function http2Transport(clock: Clock, proxy: Proxy | null): OpenTransport {
  return pooled(clock, proxy, async (socket, origin, listener) => {
    const { openWrapperSession } = await import('./http2-session.ts')
    return openWrapperSession(origin, socket, listener)
  })
}

type Speak = (
  socket: TLSSocket,
  origin: URL,
  listener: SessionListener,
  options: TransportOptions,
) => Opened | Promise<Opened>

/**
 * HTTP/1.1 and http2-wrapper load when first needed: every full garbage collection visits a loaded module's objects.
 */
function pooled(clock: Clock, proxy: Proxy | null, speak: Speak): OpenTransport {
  return (text, options) => {
    const origin = new URL(text)
    const resumption: TlsResumption = { session: null }
    return new ConnectionPool(clock, options, async (listener, signal) => {
      const secured = await openSecureSocket(origin, proxy, options, signal, resumption)
      if (secured.kind === 'failed') return secured
      if (secured.protocol === 'HTTP/2') return speak(secured.socket, origin, listener, options)
      const { Http11Session } = await import('./http11-session.ts')
      return { kind: 'open', session: new Http11Session(secured.socket, origin.host, clock, listener) }
    })
  }
}

/** Timeout of the probe. */
const PROBE_MS = 5000

/** Why the proxy opens no tunnel to `origin`, such as `proxy: 407`. Sends nothing through it. */
export async function proxyProblem(proxy: Proxy, origin: string, clock: Clock): Promise<string | null> {
  const { hostname, port } = new URL(origin)
  using deadline = abortAfter(clock, PROBE_MS)
  const tunnel = await openTunnel(proxy, `${hostname}:${port || '443'}`, deadline.signal)
  if (tunnel.kind === 'failed') return tunnel.reason
  tunnel.socket.destroy()
  return null
}
