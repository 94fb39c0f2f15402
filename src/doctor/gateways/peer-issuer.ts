import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { portOf } from '../../gateway/transport/secure-socket.ts'
import { openTunnel } from '../../gateway/transport/tunnel.ts'
import type { Proxy } from '../../gateway/transport/tunnel.ts'

/** Who made the certificate that answers at an origin, whether or not it is to be trusted; `null` if it does not say. */
export async function issuerAt(origin: URL, proxy: Proxy | null, signal: AbortSignal): Promise<string | null> {
  const port = portOf(origin)
  const host = origin.hostname.replace(/^\[(.*)\]$/, '$1')
  const tunnel = proxy === null ? null : await openTunnel(proxy, `${origin.hostname}:${port}`, signal)
  if (tunnel?.kind === 'failed') return null
  return new Promise((resolve) => {
    const socket = connect({
      ...(tunnel !== null && { socket: tunnel.socket }),
      host,
      port,
      servername: isIP(host) === 0 ? host : '',
      ALPNProtocols: ['h2', 'http/1.1'],
      // Nothing is sent: the certificate is only read, to name whoever stands in between.
      rejectUnauthorized: false,
    })
    socket.on('error', () => resolve(null))
    socket.on('close', () => resolve(null))
    socket.once('secureConnect', () => {
      const issuer = socket.getPeerCertificate().issuer as Readonly<Record<string, unknown>> | undefined
      socket.destroy()
      resolve(readable(issuer?.['CN']) ?? readable(issuer?.['O']))
    })
    signal.addEventListener('abort', () => socket.destroy())
  })
}

/** A stranger has chosen it. */
function readable(name: unknown): string | null {
  const text = typeof name === 'string' ? name.replaceAll(/[^\p{L}\p{N}\p{P}\p{Zs}\p{Sm}]/gu, '').slice(0, 100) : ''
  return text === '' ? null : text
}
