import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import type { TlsOptions, TLSSocket } from 'node:tls'
import type { Pem } from '../../src/gateway/simulator/certificate.ts'
import { makeCertificate } from './certificate.ts'
import {
  ACK,
  END_STREAM,
  DATA,
  HEADERS,
  PING,
  RST_STREAM,
  SETTINGS,
  WINDOW_UPDATE,
  MAX_CONCURRENT_STREAMS,
  frame,
  goawayFrame,
  headerFrames,
  readFrames,
  resetFrame,
  uint32,
} from './frames.ts'
import { createWaits } from './waits.ts'

/** A request whose headers have come, and perhaps its body. */
export interface Call {
  readonly connection: Connection
  readonly id: number
  /** What has come of it. The tests tell requests apart by it, since headers are not decoded. */
  body: string
  /** `pieces`: bytes of each frame of the header block, CONTINUATION after the first. Default: in one frame. */
  respond(
    status: number,
    options?: { headers?: Readonly<Record<string, string>>; end?: boolean; pieces?: number },
  ): void
  write(text: string, options?: { end?: boolean }): void
  reset(code: number): void
}

export interface Connection {
  /** 1 is the first. */
  readonly number: number
  /** Whose TLS certificate the client showed; `null` if it showed none. */
  readonly clientName: string | null
  settings(maxStreams: number): void
  /** `debugData`: default none. */
  goaway(lastId: number, code: number, debugData?: string): void
  /** Any bytes at all. */
  raw(bytes: Uint8Array): void
  cut(): void
}

export interface FrameGateway extends AsyncDisposable {
  /** `https://localhost:…`. */
  readonly origin: string
  readonly port: number
  /** PEM: what a client must trust. */
  readonly ca: string
  /** Requests so far whose body is complete, oldest first. */
  readonly calls: readonly Call[]
  /** Requests so far whose headers have come. */
  readonly begun: number
  /** RST_STREAM frames from clients: stream id and error code. */
  readonly resets: readonly { readonly id: number; readonly code: number }[]
  readonly connections: number
  readonly openConnections: number
  /** What answers from now on. */
  handle(handler: (call: Call) => void): void
  /** From now on connections show this certificate. */
  present(certificate: Pem): void
  /** Resolves once `condition` holds; asked again whenever something happened. */
  until(condition: () => boolean): Promise<void>
}

export interface FrameGatewayOptions {
  readonly certificate?: Pem
  /** SETTINGS_MAX_CONCURRENT_STREAMS of a new connection. Default 1000. */
  readonly maxStreams?: number
  /** Default a free one. */
  readonly port?: number
  /** What a new connection is told first. Default its settings. */
  readonly greet?: (connection: Connection) => void
  /** Answers when the headers are in, before the body. */
  readonly early?: (call: Call) => void
  readonly askCertificate?: boolean
}

/** An HTTP/2 server that writes its frames itself: for answers that a well-behaved server cannot be made to give. */
export async function startFrameGateway(
  handler: (call: Call) => void,
  options: FrameGatewayOptions = {},
): Promise<FrameGateway> {
  const certificate = options.certificate ?? (shared ??= makeCertificate())
  const calls: Call[] = []
  const resets: { id: number; code: number }[] = []
  const sockets = new Set<TLSSocket>()
  const { changed, until } = createWaits()
  let respond = handler
  let connections = 0
  let begun = 0

  function accept(socket: TLSSocket): void {
    sockets.add(socket)
    const connection = connectionOn(socket, ++connections)
    const open = new Map<number, Call>()
    socket.on('error', () => undefined)
    socket.on('close', () => {
      sockets.delete(socket)
      changed()
    })
    if (options.greet === undefined) connection.settings(options.maxStreams ?? 1000)
    else options.greet(connection)
    readFrames(socket, ({ type, flags, id, payload }) => {
      if (type === SETTINGS && (flags & ACK) === 0) socket.write(frame(SETTINGS, ACK, 0))
      if (type === PING && (flags & ACK) === 0) socket.write(frame(PING, ACK, 0, payload))
      if (type === RST_STREAM) resets.push({ id, code: payload.readUInt32BE() })
      if (type === HEADERS) {
        const call = callOn(socket, connection, id)
        open.set(id, call)
        begun++
        options.early?.(call)
      }
      const call = open.get(id)
      if (call !== undefined && type === DATA) {
        call.body += payload.toString()
        if (payload.length > 0) socket.write(frame(WINDOW_UPDATE, 0, 0, uint32(payload.length)))
      }
      if (call !== undefined && type !== RST_STREAM && (flags & END_STREAM) !== 0) {
        open.delete(id)
        calls.push(call)
        respond(call)
      }
      changed()
    })
    changed()
  }

  const server = createServer(
    { ...keyPair(certificate), ...(options.askCertificate && { requestCert: true, rejectUnauthorized: false }) },
    accept,
  )
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject)
    server.listen(options.port ?? 0, 'localhost', resolve)
  })
  const { port } = server.address() as AddressInfo

  return {
    origin: new URL(`https://localhost:${port}`).origin,
    port,
    ca: certificate.certificate,
    calls,
    get begun() {
      return begun
    },
    resets,
    get connections() {
      return connections
    },
    get openConnections() {
      return sockets.size
    },
    handle(next) {
      respond = next
    },
    present(next) {
      server.setSecureContext(keyPair(next))
    },
    until,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

let shared: Pem | undefined

function keyPair({ privateKey, certificate }: Pem): TlsOptions {
  return { key: privateKey, cert: certificate, ALPNProtocols: ['h2'] }
}

function connectionOn(socket: TLSSocket, number: number): Connection {
  return {
    number,
    clientName: (socket.getPeerCertificate()?.subject?.CN as string | undefined) ?? null,
    settings(maxStreams) {
      const payload = Buffer.alloc(6)
      payload.writeUInt16BE(MAX_CONCURRENT_STREAMS)
      payload.writeUInt32BE(maxStreams, 2)
      socket.write(frame(SETTINGS, 0, 0, payload))
    },
    goaway: (lastId, code, debugData) => void socket.write(goawayFrame(lastId, code, debugData)),
    raw: (bytes) => void socket.write(bytes),
    cut: () => void socket.destroy(),
  }
}

function callOn(socket: TLSSocket, connection: Connection, id: number): Call {
  return {
    connection,
    id,
    body: '',
    respond(status, { headers = {}, end = true, pieces } = {}) {
      socket.write(headerFrames(id, { ':status': String(status), ...headers }, { end, pieces }))
    },
    write: (text, { end = true } = {}) => void socket.write(frame(DATA, end ? END_STREAM : 0, id, Buffer.from(text))),
    reset: (code) => void socket.write(resetFrame(id, code)),
  }
}
