import { constants } from 'node:http2'
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { systemClock } from '../../src/clock.ts'
import type { Pem } from '../../src/gateway/simulator/certificate.ts'
import { listenHttp2 } from '../../src/gateway/simulator/http2/http2-listener.ts'
import type { IncomingRequest } from '../../src/gateway/simulator/http2/incoming-request.ts'
import { makeCertificate } from './certificate.ts'
import { createWaits } from './waits.ts'

export interface GatewayCall {
  readonly method: string
  readonly path: string
  readonly headers: IncomingRequest['headers']
  readonly body: string
  readonly bytes: Buffer
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
}

interface Connection {
  readonly number: number
  readonly session: ServerHttp2Session
  readonly socket: () => TLSSocket | undefined
}

/** The simulator's HTTP/2 server over TLS, whose every answer a test decides. */
export async function startGateway(handler: GatewayHandler, options: GatewayOptions = {}): Promise<Gateway> {
  const certificate = options.certificate ?? (shared ??= makeCertificate())
  const calls: GatewayCall[] = []
  const carriers = new WeakMap<ServerHttp2Stream, Connection>()
  const { changed, until } = createWaits()
  let respond = handler
  let connections = 0
  let resets = 0

  function receive(stream: ServerHttp2Stream, { method, path, headers, body }: IncomingRequest): void {
    const connection = carriers.get(stream)
    if (connection === undefined) throw new Error('a stream of no connection')
    const clientName = (connection.socket()?.getPeerCertificate()?.subject?.CN as string | undefined) ?? null
    const call = {
      method,
      path,
      headers,
      body: body.toString(),
      bytes: body,
      connection: connection.number,
      clientName,
    }
    calls.push(call)
    changed()
    void Promise.resolve(respond(call)).then((action) => perform(stream, connection, action))
  }

  const listener = await listenHttp2({
    clock: systemClock,
    pem: certificate,
    maxStreams: options.maxStreams ?? 1000,
    onSession(session, socket) {
      const connection = { number: ++connections, session, socket }
      changed()
      session.on('close', changed)
      session.on('stream', (stream) => {
        carriers.set(stream, connection)
        stream.on('aborted', () => {
          resets++
          changed()
        })
      })
    },
    open: () => null,
    handle: (request) => ({ kind: 'custom', perform: (stream) => receive(stream, request) }),
  })

  return {
    origin: `https://localhost:${new URL(listener.url).port}`,
    ca: certificate.certificate,
    calls,
    get connections() {
      return connections
    },
    get openConnections() {
      return listener.counts().openSessions
    },
    get resets() {
      return resets
    },
    handle(next) {
      respond = next
    },
    until,
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  }
}

function perform(stream: ServerHttp2Stream, { session, socket }: Connection, action: GatewayAction): void {
  if (stream.destroyed || action === 'hang') return
  if (action === 'reset') return stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  if (action === 'goaway') return session.goaway(constants.NGHTTP2_INTERNAL_ERROR)
  if (action === 'close') return void socket()?.destroy()
  const headers = { ':status': action.status, ...action.headers }
  // Without a date of its own, which node's types do not know of: it would be the system's, whatever clock the test has.
  const options = { endStream: action.body === undefined, sendDate: false }
  stream.respond(headers, options)
  if (action.body === undefined) return
  if (action.unended === true) stream.write(action.body)
  else stream.end(action.body)
}

/** Making a key takes a tenth of a second: one serves all tests of a file. */
let shared: Pem | undefined
