import type { Pem } from '../../src/gateway/simulator/certificate.ts'
import { startHttp2Server } from '../../src/gateway/simulator/http2/http2-server.ts'
import type { ServerConnection } from '../../src/gateway/simulator/http2/server-connection.ts'
import type { ServerStream } from '../../src/gateway/simulator/http2/server-stream.ts'
import { makeCertificate } from './certificate.ts'
import { MAX_CONCURRENT_STREAMS } from './frames.ts'
import { createWaits } from './waits.ts'

/** A request whose headers have come, and perhaps its body. */
export interface Call {
  readonly connection: Connection
  readonly id: number
  readonly stream: ServerStream
  /** What has come of it. */
  readonly body: string
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
  /** Of the last request that has begun. */
  readonly lastId: number
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
}

/** The simulator's HTTP/2 server, frame by frame: for answers that no gateway that follows the rules would give. */
export async function startFrameGateway(
  handler: (call: Call) => void,
  options: FrameGatewayOptions = {},
): Promise<FrameGateway> {
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
          respond(call)
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
    get lastId() {
      return served.lastId
    },
    settings: (maxStreams) => served.settings([MAX_CONCURRENT_STREAMS, maxStreams]),
    goaway: (lastId, code, debugData) => served.goaway(code, { lastId, ...(debugData !== undefined && { debugData }) }),
    raw: (bytes) => served.raw(bytes),
    cut,
  }
}

function callOn(stream: ServerStream, connection: Connection): Call {
  return {
    connection,
    id: stream.id,
    stream,
    get body() {
      return stream.body.toString()
    },
    respond: (status, { headers = {}, ...how } = {}) => stream.respond(status, headers, how),
    write: (text, how) => stream.write(text, how),
    reset: (code) => stream.reset(code),
  }
}
