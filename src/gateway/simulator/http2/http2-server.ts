import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:tls'
import type { TlsOptions, TLSSocket } from 'node:tls'
import type { Pem } from '../certificate.ts'
import { ServerConnection } from './server-connection.ts'
import type { ServerListener } from './server-connection.ts'

/** May greet the new connection. */
type Accept = (connection: ServerConnection, socket: TLSSocket) => Omit<ServerListener, 'onOutput'>

export interface Http2Server extends AsyncDisposable {
  readonly port: number
  present(certificate: Pem): void
  /** Drops established connections; handshakes under way continue. */
  disconnect(): void
}

/** On 127.0.0.1. `port`: default a free one. Asks for a client certificate and accepts any. */
export async function startHttp2Server(pem: Pem, accept: Accept, port = 0): Promise<Http2Server> {
  /** Includes handshakes under way: the server does not close before they end. */
  const connections = new Set<Socket>()
  const established = new Set<TLSSocket>()

  const server = createServer(tlsOf(pem), (socket) => {
    established.add(socket)
    // Clients may leave at any time.
    socket.on('error', () => undefined)
    const connection = new ServerConnection({
      onOutput(bytes, onWritten) {
        if (!socket.destroyed && socket.writable) socket.write(bytes, onWritten)
      },
      onBegin: (stream) => listener.onBegin?.(stream),
      onRequest: (stream) => listener.onRequest(stream),
      onClosed: (stream, resetCode) => listener.onClosed?.(stream, resetCode),
    })
    const listener = accept(connection, socket)
    socket.on('close', () => {
      established.delete(socket)
      connection.close()
    })
    socket.on('data', (chunk: Buffer) => {
      if (!connection.receive(chunk)) socket.destroy()
    })
  })
  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
  })
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })

  return {
    port: (server.address() as AddressInfo).port,
    present: (certificate) => server.setSecureContext(tlsOf(certificate)),
    disconnect() {
      for (const socket of established) socket.destroy()
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
      for (const socket of [...connections, ...established]) socket.destroy()
      await closed
    },
  }
}

function tlsOf({ privateKey, certificate }: Pem): TlsOptions {
  const asks = { requestCert: true, rejectUnauthorized: false }
  return { key: privateKey, cert: certificate, ALPNProtocols: ['h2'], ...asks }
}
