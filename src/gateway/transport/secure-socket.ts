import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { withoutBrackets } from '../../network/special-networks.ts'
import { failureReason } from './failures.ts'
import type { Protocol, TransportOptions } from './transport.ts'
import { openTunnel } from './tunnel.ts'
import type { Proxy } from './tunnel.ts'

export type TlsCredentials = Pick<TransportOptions, 'ca' | 'cert' | 'key' | 'olderWillDo'>

/** Shortens the next handshake (RFC 8446, 2.2). */
export interface TlsResumption {
  session: Buffer | null
}

/** RFC 8305, 5. */
const HAPPY_EYEBALLS = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 250 }

/**
 * HTTP/2, or HTTP/1.1 if `olderWillDo`. `signal` closes it at any time. `proxy:` marks the proxy's own failures,
 * `through the proxy:` those behind its tunnel.
 */
export async function openSecureSocket(
  origin: URL,
  proxy: Proxy | null,
  { ca, cert, key, olderWillDo = false }: TlsCredentials,
  signal: AbortSignal,
  resumption: TlsResumption = { session: null },
): Promise<
  | { readonly kind: 'open'; readonly socket: TLSSocket; readonly protocol: Protocol }
  | { readonly kind: 'failed'; readonly reason: string }
> {
  const port = portOf(origin)
  const tunnel = proxy === null ? null : await openTunnel(proxy, `${origin.hostname}:${port}`, signal)
  if (tunnel?.kind === 'failed') return tunnel

  const way = proxy === null ? '' : 'through the proxy: '
  const host = withoutBrackets(origin.hostname)
  return new Promise((resolve) => {
    const fail = (reason: string): void => resolve({ kind: 'failed', reason: `${way}${reason}` })
    try {
      const socket = connect({
        ca,
        cert,
        key,
        ...(tunnel !== null && { socket: tunnel.socket }),
        host,
        port,
        // RFC 6066, 3: an IP address is no server name.
        servername: isIP(host) === 0 ? host : '',
        ALPNProtocols: olderWillDo ? ['h2', 'http/1.1'] : ['h2'],
        rejectUnauthorized: true,
        ...HAPPY_EYEBALLS,
        ...(resumption.session !== null && { session: resumption.session }),
      })
      socket.on('session', (session) => (resumption.session = session))
      // An error without a listener would end the process.
      socket.on('error', (error) => {
        resumption.session = null
        fail(reasonOf(error))
      })
      socket.on('close', () => fail('ECONNRESET'))
      socket.once('secureConnect', () => {
        if (socket.alpnProtocol === 'h2') return resolve({ kind: 'open', socket, protocol: 'HTTP/2' })
        // A server without ALPN names no protocol.
        if (olderWillDo) return resolve({ kind: 'open', socket, protocol: 'HTTP/1.1' })
        socket.destroy()
        fail(NO_HTTP2)
      })
      socket.setNoDelay(true)
      signal.addEventListener('abort', () => socket.destroy())
    } catch (error) {
      tunnel?.socket.destroy()
      fail(failureReason(error))
    }
  })
}

export function portOf({ port }: URL): number {
  return port === '' ? 443 : Number(port)
}

const NO_HTTP2 = 'HTTP2Unsupported'

function reasonOf(error: Error): string {
  const code = failureReason(error)
  return code.endsWith('ALERT_NO_APPLICATION_PROTOCOL') ? NO_HTTP2 : code
}
