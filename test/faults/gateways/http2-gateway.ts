import { createSecureServer } from 'node:http2'
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Pem } from '../../../src/gateway/simulator/certificate.ts'
import type { IncomingRequest } from '../../../src/gateway/simulator/http2/incoming-request.ts'
import type { Arrival } from './arrival.ts'
import type { Conduct } from './conduct.ts'
import { GatewayConnection } from './gateway-connection.ts'
import type { Notice, Protocol } from './protocol.ts'

export interface Http2GatewayOptions {
  readonly protocol: Protocol
  readonly pem: Pem
  /** Which process of the service a connection that opens now is from. */
  readonly life: () => number
  /** Decides, and is told of the arrival. */
  readonly decide: (notice: Notice) => Conduct
  readonly record: (arrival: Arrival) => void
  /** A request that Apple or Google would not take. */
  readonly onFault: (reason: string) => void
  /** Milliseconds until a usual answer. */
  readonly latencyMs: (notice: Notice) => number
  /** Whether requests are accepted now before their body is read. */
  readonly early: () => boolean
}

export interface Http2Gateway extends AsyncDisposable {
  readonly port: number
  /** SETTINGS_MAX_CONCURRENT_STREAMS on every connection, from now on; `null`: what the protocol has. */
  limitStreams(streams: number | null): void
  /** Drops every connection. */
  cut(): void
}

/** An HTTP/2 server over TLS on a free port of 127.0.0.1. */
export async function startHttp2Gateway(options: Http2GatewayOptions): Promise<Http2Gateway> {
  const { protocol, pem, life } = options
  const sockets = new Map<number, TLSSocket>()
  const connections = new Set<GatewayConnection>()
  let limit: number | null = null
  const server = createSecureServer({
    key: pem.privateKey,
    cert: pem.certificate,
    settings: { maxConcurrentStreams: protocol.streams[0] },
    ...PATIENT,
  })
  server.on('secureConnection', (socket: TLSSocket) => {
    const port = socket.remotePort ?? 0
    sockets.set(port, socket)
    socket.on('error', goneAnyway)
    socket.on('close', () => sockets.delete(port))
  })
  server.on('sessionError', goneAnyway)
  server.on('session', (session) => {
    const port = session.socket.remotePort ?? 0
    // Asked for later: this event comes before the one that tells the socket.
    const connection = new GatewayConnection({ session, socket: () => sockets.get(port), life: life(), protocol })
    connections.add(connection)
    if (limit !== null) connection.limitStreams(limit)
    session.on('error', goneAnyway)
    session.on('close', () => connections.delete(connection))
    session.on('stream', (stream, headers) => receive(options, connection, stream, headers))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    port: (server.address() as AddressInfo).port,
    limitStreams(streams) {
      limit = streams
      for (const connection of connections) connection.limitStreams(streams ?? protocol.streams[1])
    },
    cut() {
      for (const connection of connections) connection.cut()
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      for (const socket of sockets.values()) socket.destroy()
      await closed
    },
  }
}

/** Else the server would end connections with ENHANCE_YOUR_CALM by itself, after a hundred refused streams. */
const PATIENT = { maxSessionRejectedStreams: 2 ** 31 - 1, streamResetBurst: 2 ** 31 - 1, streamResetRate: 2 ** 31 - 1 }

/** A client that goes away in the middle is what the harness is for. */
function goneAnyway(): void {}

function receive(
  { protocol, decide, record, onFault, latencyMs, early }: Http2GatewayOptions,
  connection: GatewayConnection,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
): void {
  stream.on('error', goneAnyway)
  if (!connection.admits(stream)) return
  const answeredEarly = early()
  if (answeredEarly) connection.answer(stream, protocol.acceptEarly())
  readBody(stream, (body) => {
    const verdict = connection.check(requestOf(headers, body))
    if (verdict.kind === 'fault') {
      onFault(verdict.reason)
      connection.answer(stream, verdict.answer)
      return
    }
    const arrival: Arrival = { ...verdict.of, at: Date.now(), life: connection.life, taken: true, answeredAt: null }
    record(arrival)
    if (answeredEarly) arrival.answeredAt = arrival.at
    else connection.perform(stream, arrival, verdict, decide(verdict), latencyMs(verdict))
  })
}

/** Never completes where the client went away first: Bun ends the body of a broken stream as that of a whole one. */
function readBody(stream: ServerHttp2Stream, complete: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  stream.on('end', () => {
    if (!stream.aborted) complete(Buffer.concat(chunks))
  })
}

function requestOf(headers: IncomingHttpHeaders, body: Buffer): IncomingRequest {
  const single: Record<string, string | undefined> = {}
  for (const [name, value] of Object.entries(headers)) single[name] = Array.isArray(value) ? value.join(', ') : value
  return {
    method: single[':method'] ?? '',
    path: single[':path'] ?? '',
    headers: single,
    repeatedHeaders: false,
    body,
  }
}
