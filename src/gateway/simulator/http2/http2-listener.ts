import { createSecureServer } from 'node:http2'
import type { Http2Session, IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '../../../clock.ts'
import type { Pem } from '../certificate.ts'
import { createHttp2Replier } from './http2-replier.ts'
import { MAX_REQUEST_BYTES } from './incoming-request.ts'
import type { IncomingRequest } from './incoming-request.ts'
import type { Reply } from './reply.ts'

export interface Http2ListenerOptions<Connection> {
  readonly clock: Clock
  readonly pem: Pem
  /** SETTINGS_MAX_CONCURRENT_STREAMS. */
  readonly maxStreams: number
  /** Requests at one time until the connection has had its first 200. Default `maxStreams`. */
  readonly firstStreams?: number
  /** The debug data of GOAWAY frames. Default none. */
  readonly goawayData?: string
  /** Makes what the gateway keeps of a connection. `fingerprint`: SHA-256 of the client certificate, if it gave one. */
  readonly open: (fingerprint: string | null) => Connection
  readonly handle: (request: IncomingRequest, connection: Connection) => Reply
  readonly onSession?: OnSession | undefined
}

/**
 * Told of each new connection before any request on it is: for tests that break connections. `socket` is the one under
 * it, which comes a moment later, and is `undefined` again once it is closed.
 */
export type OnSession = (session: ServerHttp2Session, socket: () => TLSSocket | undefined) => void

export interface ListenerCounts {
  /** Connections opened so far. */
  readonly sessions: number
  readonly openSessions: number
  /** Requests begun so far. */
  readonly streams: number
  readonly openStreams: number
  /** The most requests open at one time, over all connections. */
  readonly peakStreams: number
}

export interface Http2Listener extends AsyncDisposable {
  /** An https origin. */
  readonly url: string
  counts(): ListenerCounts
  /** Sends GOAWAY on every connection. `code`: an HTTP/2 error code, default 0 (no error). */
  goaway(code?: number): void
  /** Drops every connection that is established: one whose handshake is under way goes on. */
  disconnect(): void
}

/** An HTTP/2 server over TLS on a free port of 127.0.0.1, which does with requests what `handle` says. */
export async function listenHttp2<Connection>(options: Http2ListenerOptions<Connection>): Promise<Http2Listener> {
  const { clock, pem, maxStreams, firstStreams = maxStreams, open, handle } = options
  const goawayData = Buffer.from(options.goawayData ?? '')
  // A session does not give its socket away, so the socket is found by what both can tell: the client's port.
  const sockets = new Map<number, TLSSocket>()
  const sessions = new Set<Http2Session>()
  /** Also those whose handshake is still to come: the server does not close before they have gone. */
  const connections = new Set<Socket>()
  const counts = { sessions: 0, openSessions: 0, streams: 0, openStreams: 0, peakStreams: 0 }

  const server = createSecureServer({
    key: pem.privateKey,
    cert: pem.certificate,
    requestCert: true,
    rejectUnauthorized: false,
    settings: { maxConcurrentStreams: firstStreams },
    ...PATIENT,
  })
  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
  })
  server.on('secureConnection', (socket: TLSSocket) => {
    const port = socket.remotePort ?? 0
    sockets.set(port, socket)
    socket.on('close', () => {
      if (sockets.get(port) === socket) sockets.delete(port)
    })
    socket.on('error', ignoreLostClient)
  })
  server.on('sessionError', ignoreLostClient)

  server.on('session', (session) => {
    const port = session.socket.remotePort ?? 0
    let limited = firstStreams !== maxStreams
    let connection: { readonly opened: Connection } | null = null
    const performer = createHttp2Replier({
      clock,
      session,
      goawayData,
      drop: () => sockets.get(port)?.destroy(),
      part: (bytes) => sockets.get(port)?.end(bytes),
      narrowed() {
        limited = true
        session.settings({ maxConcurrentStreams: 1 })
      },
      answering({ status }) {
        if (!limited || status !== 200) return
        limited = false
        session.settings({ maxConcurrentStreams: maxStreams })
      },
    })
    sessions.add(session)
    counts.sessions++
    counts.openSessions++
    session.on('error', ignoreLostClient)
    session.on('close', () => {
      performer.cancel()
      sessions.delete(session)
      counts.openSessions--
    })
    options.onSession?.(session, () => sockets.get(port))
    session.on('stream', (stream, headers, _flags, rawHeaders) => {
      counts.streams++
      counts.openStreams++
      counts.peakStreams = Math.max(counts.peakStreams, counts.openStreams)
      stream.on('close', () => counts.openStreams--)
      stream.on('error', ignoreLostClient)
      readBody(stream, (body) => {
        connection ??= { opened: open(sockets.get(port)?.getPeerCertificate().fingerprint256 ?? null) }
        performer.perform(stream, handle(readRequest(headers, rawHeaders, body), connection.opened))
      })
    })
  })

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a listening TCP server has a port')

  return {
    url: `https://127.0.0.1:${address.port}`,
    counts: () => ({ ...counts }),
    goaway(code = 0) {
      for (const session of sessions) session.goaway(code, undefined, goawayData)
    },
    disconnect() {
      for (const socket of sockets.values()) socket.destroy()
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      for (const socket of connections) socket.destroy()
      await closed
    },
  }
}

/** Else the server would end connections with ENHANCE_YOUR_CALM by itself, after a hundred refused streams. */
const PATIENT = { maxSessionRejectedStreams: 2 ** 31 - 1, streamResetBurst: 2 ** 31 - 1, streamResetRate: 2 ** 31 - 1 }

/** A client that goes away in the middle is no fault of the simulator's, and nothing is left to tell it. */
function ignoreLostClient(): void {}

/**
 * Calls back once the whole body is in: an earlier answer would make clients reset the stream. Never where the client went
 * away first: Bun ends the body of a broken stream as that of a whole one.
 */
function readBody(stream: ServerHttp2Stream, complete: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  stream.on('data', (chunk: Buffer) => {
    if (size < MAX_REQUEST_BYTES) chunks.push(chunk)
    size += chunk.length
  })
  stream.on('end', () => {
    if (!stream.aborted) complete(Buffer.concat(chunks))
  })
}

function readRequest(headers: IncomingHttpHeaders, rawHeaders: readonly string[], body: Buffer): IncomingRequest {
  const joined: Record<string, string | undefined> = {}
  for (const [name, value] of Object.entries(headers)) joined[name] = Array.isArray(value) ? value.join(', ') : value
  return {
    method: joined[':method'] ?? '',
    path: joined[':path'] ?? '',
    headers: joined,
    repeatedHeaders: rawHeaders.length / 2 > Object.keys(joined).length,
    body,
  }
}
