import { constants, createSecureServer } from 'node:http2'
import type { Http2Session, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Pem } from '../../src/gateway/simulator/certificate.ts'
import { makeCertificate } from './certificate.ts'

export interface GatewayCall {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Which connection it came on: 1 is the first. */
  readonly connection: number
  /** Whether the client showed a TLS certificate, and whose. */
  readonly clientName: string | null
}

export interface GatewayReply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The body is sent, and nothing after it: the answer never ends. Default false. */
  readonly unended?: boolean
}

/**
 * `hang`: never answers. `reset`: ends the stream with INTERNAL_ERROR. `goaway`: ends the connection with GOAWAY
 * INTERNAL_ERROR. `close`: cuts the socket.
 */
export type GatewayAction = GatewayReply | 'hang' | 'reset' | 'goaway' | 'close'

export type GatewayHandler = (call: GatewayCall) => GatewayAction | Promise<GatewayAction>

export interface Gateway extends AsyncDisposable {
  /** `https://localhost:…`. */
  readonly origin: string
  /** PEM: what a client must trust. */
  readonly ca: string
  /** All calls so far, oldest first. */
  readonly calls: readonly GatewayCall[]
  /** Connections opened so far. */
  readonly connections: number
  readonly openConnections: number
  /** Streams reset by the client so far. */
  readonly resets: number
  /** What answers from now on. */
  handle(handler: GatewayHandler): void
  /** Resolves once `condition` holds; asked again whenever a connection, a call or a reset came, or a connection went. */
  until(condition: () => boolean): Promise<void>
}

export interface GatewayOptions {
  readonly certificate?: Pem
  /** SETTINGS_MAX_CONCURRENT_STREAMS. Default 1000. */
  readonly maxStreams?: number
  /** Ask for a TLS client certificate (any is taken). */
  readonly askCertificate?: boolean
}

/** A real HTTP/2 server over TLS whose every answer a test decides. */
export async function startGateway(handler: GatewayHandler, options: GatewayOptions = {}): Promise<Gateway> {
  const certificate = options.certificate ?? sharedCertificate()
  const calls: GatewayCall[] = []
  const sessions = new Map<Http2Session, number>()
  /** By the client's port: a session does not let its socket be cut. */
  const sockets = new Map<number | undefined, TLSSocket>()
  const waiting = new Set<() => void>()
  let respond = handler
  let connections = 0
  let resets = 0

  const changed = (): void => {
    for (const look of waiting) look()
  }

  const server = createSecureServer({
    key: certificate.privateKey,
    cert: certificate.certificate,
    settings: { maxConcurrentStreams: options.maxStreams ?? 1000 },
    requestCert: options.askCertificate === true,
    rejectUnauthorized: false,
  })
  server.on('secureConnection', (socket) => {
    const port = socket.remotePort
    sockets.set(port, socket)
    socket.on('close', () => sockets.delete(port))
  })
  server.on('session', (session) => {
    sessions.set(session, ++connections)
    changed()
    session.on('error', () => undefined)
    session.on('close', () => {
      sessions.delete(session)
      changed()
    })
  })
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    const session = stream.session
    if (session === undefined) return
    const chunks: Buffer[] = []
    stream.on('error', () => undefined)
    stream.on('aborted', () => {
      resets++
      changed()
    })
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      const call: GatewayCall = {
        method: headers[':method'] ?? '',
        path: headers[':path'] ?? '',
        headers,
        body: Buffer.concat(chunks).toString(),
        connection: sessions.get(session) ?? 0,
        clientName: clientNameOf(session),
      }
      calls.push(call)
      changed()
      void Promise.resolve(respond(call)).then((action) => perform(stream, session, sockets, action))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))

  return {
    origin: `https://localhost:${(server.address() as AddressInfo).port}`,
    ca: certificate.certificate,
    calls,
    get connections() {
      return connections
    },
    get openConnections() {
      return sessions.size
    },
    get resets() {
      return resets
    },
    handle(next) {
      respond = next
    },
    async until(condition) {
      if (condition()) return
      await new Promise<void>((resolve) => {
        const look = (): void => {
          if (!condition()) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
      })
    },
    async [Symbol.asyncDispose]() {
      for (const session of sessions.keys()) session.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function perform(
  stream: ServerHttp2Stream,
  session: Http2Session,
  sockets: ReadonlyMap<number | undefined, TLSSocket>,
  action: GatewayAction,
): void {
  if (stream.destroyed || action === 'hang') return
  if (action === 'reset') return stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  if (action === 'goaway') return session.goaway(constants.NGHTTP2_INTERNAL_ERROR)
  if (action === 'close') return void sockets.get(session.socket.remotePort)?.destroy()
  const headers = { ':status': action.status, ...action.headers }
  // Without a date of its own, which node's types do not know of: it would be the system's, whatever clock the test has.
  const options = { endStream: action.body === undefined, sendDate: false }
  stream.respond(headers, options)
  if (action.body === undefined) return
  if (action.unended === true) stream.write(action.body)
  else stream.end(action.body)
}

function clientNameOf(session: Http2Session): string | null {
  const peer = (session.socket as TLSSocket).getPeerCertificate()
  return (peer?.subject?.CN as string | undefined) ?? null
}

let shared: Pem | undefined

/** Making a key takes a tenth of a second: one serves all tests of a file. */
function sharedCertificate(): Pem {
  shared ??= makeCertificate()
  return shared
}
