import type { Pem } from '../../src/gateway/simulator/certificate.ts'
import { startHttp2Server } from '../../src/gateway/simulator/http2/http2-server.ts'
import type { ServerConnection } from '../../src/gateway/simulator/http2/server-connection.ts'
import type { ServerStream } from '../../src/gateway/simulator/http2/server-stream.ts'
import { makeCertificate } from './certificate.ts'
import { MAX_CONCURRENT_STREAMS } from './frames.ts'
import { createWaits } from './waits.ts'

/*
 * Fake gateways have one HTTP/2, the simulator's `ServerConnection`: this one, test/faults/gateways, and the simulator
 * itself. Apart from it, each for a reason: scripts/benchmark/gateway, which must cost next to nothing beside what is
 * measured; test/simulation/world/wire/peer.ts, which has no socket and judges every byte of the client; test/proof/soak,
 * which counts the windows and streams of the client itself; and http11-gateway.ts, for raw HTTP/1.1.
 */

/** A request whose headers have come, and perhaps its body. */
export interface Call {
  readonly connection: Connection
  readonly id: number
  readonly method: string
  readonly path: string
  readonly headers: ServerStream['headers']
  /** What has come of it, as text and as `bytes`. */
  readonly body: string
  readonly bytes: Buffer
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

/** Returns an action, or acts on the call itself: for answers that no gateway that follows the rules would give. */
export type GatewayHandler = (call: Call) => GatewayAction | void | Promise<GatewayAction>

export interface Gateway extends AsyncDisposable {
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
  handle(handler: GatewayHandler): void
  /** From now on connections show this certificate. */
  present(certificate: Pem): void
  /** Resolves once `condition` holds; asked again whenever something happened. */
  until(condition: () => boolean): Promise<void>
}

export interface GatewayOptions {
  readonly certificate?: Pem
  /** SETTINGS_MAX_CONCURRENT_STREAMS of a new connection. Default 1000. */
  readonly maxStreams?: number
  /** Default a free one. */
  readonly port?: number
  /** What a new connection is told first. Default its settings. */
  readonly greet?: (connection: Connection) => void
  /** Answers when the headers are in, before the body. */
  readonly early?: (call: Call) => void
}

/** Answers 200 with headers alone. */
export function ok(call: Call): void {
  call.respond(200)
}

/** A gateway whose every answer a test decides, frame by frame if it likes. */
export async function startGateway(handler: GatewayHandler, options: GatewayOptions = {}): Promise<Gateway> {
  const certificate = options.certificate ?? (shared ??= makeCertificate())
  const calls: Call[] = []
  const resets: { id: number; code: number }[] = []
  const begun = new Map<ServerStream, Call>()
  const { changed, until } = createWaits()
  let respond = handler
  let connections = 0
  let openConnections = 0
  let begunCount = 0

  const server = await startHttp2Server(
    certificate,
    (served, socket) => {
      const clientName = (socket.getPeerCertificate()?.subject?.CN as string | undefined) ?? null
      const connection = connectionOn(served, ++connections, clientName, () => void socket.destroy())
      openConnections++
      socket.on('close', () => {
        openConnections--
        changed()
      })
      if (options.greet === undefined) connection.settings(options.maxStreams ?? 1000)
      else options.greet(connection)
      changed()
      return {
        onBegin(stream) {
          const call = callOn(stream, connection)
          begun.set(stream, call)
          begunCount++
          options.early?.(call)
          changed()
        },
        onRequest(stream) {
          const call = begun.get(stream)
          if (call === undefined) throw new Error('a request that has not begun')
          calls.push(call)
          const action = respond(call)
          if (action !== undefined) void Promise.resolve(action).then((done) => perform(call, served, done))
          changed()
        },
        onClosed(stream, code) {
          begun.delete(stream)
          if (code !== null) resets.push({ id: stream.id, code })
          changed()
        },
      }
    },
    options.port,
  )

  return {
    origin: new URL(`https://localhost:${server.port}`).origin,
    port: server.port,
    ca: certificate.certificate,
    calls,
    get begun() {
      return begunCount
    },
    resets,
    get connections() {
      return connections
    },
    get openConnections() {
      return openConnections
    },
    handle(next) {
      respond = next
    },
    present: (next) => server.present(next),
    until,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Making a key takes a tenth of a second: one serves all tests of a file. */
let shared: Pem | undefined

function connectionOn(
  served: ServerConnection,
  number: number,
  clientName: string | null,
  cut: () => void,
): Connection {
  return {
    number,
    clientName,
    settings: (maxStreams) => served.settings([MAX_CONCURRENT_STREAMS, maxStreams]),
    goaway: (lastId, code, debugData) => served.goaway(code, { lastId, ...(debugData !== undefined && { debugData }) }),
    raw: (bytes) => served.raw(bytes),
    cut,
  }
}

function callOn(stream: ServerStream, connection: Connection): Call {
  const { id, method, path, headers } = stream
  return {
    connection,
    id,
    method,
    path,
    headers,
    get body() {
      return stream.body.toString()
    },
    get bytes() {
      return stream.body
    },
    respond: (status, { headers = {}, ...how } = {}) => stream.respond(status, headers, how),
    write: (text, how) => stream.write(text, how),
    reset: (code) => stream.reset(code),
  }
}

/** RFC 9113, 7. */
const INTERNAL_ERROR = 2

function perform(call: Call, served: ServerConnection, action: GatewayAction): void {
  if (action === 'hang') return
  if (action === 'reset') return call.reset(INTERNAL_ERROR)
  if (action === 'goaway') return served.goaway(INTERNAL_ERROR)
  if (action === 'close') return call.connection.cut()
  const { status, headers = {}, body, unended = false } = action
  call.respond(status, { headers, end: body === undefined })
  if (body !== undefined) call.write(body, { end: !unended })
}
