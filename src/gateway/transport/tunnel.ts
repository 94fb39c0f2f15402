import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { failureReason } from './failures.ts'

/** Makes tunnels (CONNECT; RFC 9110, 9.3.6). */
export interface Proxy {
  /** A name or an IP address; IPv6 without brackets. */
  readonly host: string
  readonly port: number
  /** `proxy-authorization`; `null`: none. Never in a message. */
  readonly authorization: string | null
}

const MAX_HEAD_BYTES = 16_384

/**
 * Opens a tunnel to `authority` (`host:port`), which the proxy resolves. `signal` closes it at any time.
 * http2-wrapper's own tunnels leave a refused socket open, send credentials percent-encoded, and can't be given up
 * while the proxy is silent.
 */
export function openTunnel(
  proxy: Proxy,
  authority: string,
  signal: AbortSignal,
): Promise<{ readonly kind: 'open'; readonly socket: Socket } | { readonly kind: 'failed'; readonly reason: string }> {
  return new Promise((resolve) => {
    const socket = connect({ host: proxy.host, port: proxy.port, noDelay: true })
    let head = Buffer.alloc(0)

    const fail = (reason: string): void => {
      socket.destroy()
      resolve({ kind: 'failed', reason: `proxy: ${reason}` })
    }
    const read = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk])
      const end = head.indexOf('\r\n\r\n')
      if (end === -1) {
        if (head.length > MAX_HEAD_BYTES) fail('its answer has no end')
        return
      }
      const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1'))?.[1]
      if (status === undefined) return fail('it does not speak HTTP')
      if (!status.startsWith('2')) return fail(status)
      // Nothing follows: in TLS the client speaks first.
      socket.off('data', read)
      socket.pause()
      resolve({ kind: 'open', socket })
    }

    // Stays: an error without a listener would end the process. TLS reports failures of an open tunnel.
    socket.on('error', (error) => fail(failureReason(error)))
    socket.on('close', () => fail('closed'))
    socket.on('data', read)
    socket.once('connect', () => socket.write(connectRequest(proxy, authority)))
    signal.addEventListener('abort', () => socket.destroy())
  })
}

function connectRequest({ authorization }: Proxy, authority: string): string {
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`]
  if (authorization !== null) lines.push(`Proxy-Authorization: ${authorization}`)
  return [...lines, '', ''].join('\r\n')
}
