import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import type { Pem } from '../../src/gateway/simulator/certificate.ts'
import { makeCertificate } from './certificate.ts'
import { createWaits } from './waits.ts'

/** A request whose body is complete. */
export interface Http11Call {
  readonly method: string
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly bytes: Buffer
  /** Which connection it came on: 1 is the first. */
  readonly connection: number
  /** Any bytes at all. */
  write(text: string): void
  /** Closes the connection once what was written is sent. */
  end(): void
  cut(): void
}

export interface Http11Gateway extends AsyncDisposable {
  /** `https://localhost:…`. */
  readonly origin: string
  readonly port: number
  /** PEM: what a client must trust. */
  readonly ca: string
  readonly calls: readonly Http11Call[]
  readonly connections: number
  readonly openConnections: number
  /** The most connections that were open at one time. */
  readonly peakConnections: number
  /** Resolves once `condition` holds; asked again whenever something happened. */
  until(condition: () => boolean): Promise<void>
  /** Closes connections on which nothing is under way, as a keep-alive timeout does. */
  closeIdle(): void
}

interface Http11GatewayOptions {
  readonly certificate?: Pem
  /** What it offers by ALPN; default: it knows no ALPN. */
  readonly protocols?: readonly string[]
  readonly port?: number
}

/** A server over TLS that speaks HTTP/1.1 alone, and writes its answers byte by byte as a test says. */
export async function startHttp11Gateway(
  handler: (call: Http11Call) => void,
  { certificate = (shared ??= makeCertificate()), protocols, port = 0 }: Http11GatewayOptions = {},
): Promise<Http11Gateway> {
  const calls: Http11Call[] = []
  const sockets = new Set<TLSSocket>()
  const { changed, until } = createWaits()
  let connections = 0
  let peak = 0

  const server = createServer(
    { key: certificate.privateKey, cert: certificate.certificate, ...(protocols && { ALPNProtocols: [...protocols] }) },
    (socket) => {
      const connection = ++connections
      sockets.add(socket)
      peak = Math.max(peak, sockets.size)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        changed()
      })
      readRequests(socket, (request) => {
        const call = {
          ...request,
          connection,
          write: (text: string) => void socket.write(Buffer.from(text, 'latin1')),
          end: () => void socket.end(),
          cut: () => void socket.destroy(),
        }
        calls.push(call)
        handler(call)
        changed()
      })
      changed()
    },
  )
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject)
    server.listen(port, 'localhost', resolve)
  })
  const bound = (server.address() as AddressInfo).port
  return {
    origin: `https://localhost:${bound}`,
    port: bound,
    ca: certificate.certificate,
    calls,
    get connections() {
      return connections
    },
    get openConnections() {
      return sockets.size
    },
    get peakConnections() {
      return peak
    },
    until,
    closeIdle() {
      for (const socket of sockets) socket.end()
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
    },
  }
}

/** A whole answer. */
export function http11Answer(status: number, body = '', headers: Readonly<Record<string, string>> = {}): string {
  const all = { 'content-length': String(Buffer.byteLength(body)), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} Status`, ...lines, '', body].join('\r\n')
}

type Request = Pick<Http11Call, 'method' | 'path' | 'headers' | 'body' | 'bytes'>

function readRequests(socket: TLSSocket, onRequest: (request: Request) => void): void {
  let read = ''
  socket.on('data', (chunk: Buffer) => {
    read += chunk.toString('latin1')
    for (;;) {
      const end = read.indexOf('\r\n\r\n')
      if (end === -1) return
      const [first = '', ...lines] = read.slice(0, end).split('\r\n')
      const headers = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
      )
      const length = Number(headers['content-length'] ?? 0)
      if (read.length < end + 4 + length) return
      const bytes = Buffer.from(read.slice(end + 4, end + 4 + length), 'latin1')
      read = read.slice(end + 4 + length)
      const [method = '', path = ''] = first.split(' ')
      onRequest({ method, path, headers, bytes, body: bytes.toString() })
    }
  })
}

let shared: Pem | undefined
