import type { Pem } from '../../src/gateway/simulator/certificate.ts'
import type { ServerStream } from '../../src/gateway/simulator/http2/server-stream.ts'
import { startFrameGateway } from './frame-gateway.ts'
import type { Call } from './frame-gateway.ts'

/*
 * Fake gateways have one HTTP/2, the simulator's `ServerConnection`: this one and frame-gateway.ts, test/faults/gateways,
 * and the simulator itself. Apart from it, each for a reason: scripts/benchmark/gateway, which must cost next to nothing
 * beside what is measured; test/simulation/world/wire/peer.ts, which has no socket and judges every byte of the client;
 * test/proof/soak, which counts the windows and streams of the client itself; and http11-gateway.ts, for raw HTTP/1.1.
 */

export interface GatewayCall {
  readonly method: string
  readonly path: string
  readonly headers: ServerStream['headers']
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

/** A gateway whose every answer a test decides. */
export async function startGateway(handler: GatewayHandler, options: GatewayOptions = {}): Promise<Gateway> {
  const calls: GatewayCall[] = []
  let respond = handler
  const gateway = await startFrameGateway((call) => {
    const { method, path, headers, body: bytes } = call.stream
    const { number: connection, clientName } = call.connection
    const seen = { method, path, headers, body: bytes.toString(), bytes, connection, clientName }
    calls.push(seen)
    void Promise.resolve(respond(seen)).then((action) => perform(call, action))
  }, options)

  return {
    origin: gateway.origin,
    ca: gateway.ca,
    calls,
    get connections() {
      return gateway.connections
    },
    get openConnections() {
      return gateway.openConnections
    },
    get resets() {
      return gateway.resets.length
    },
    handle(next) {
      respond = next
    },
    until: (condition) => gateway.until(condition),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

/** RFC 9113, 7. */
const INTERNAL_ERROR = 2

function perform(call: Call, action: GatewayAction): void {
  if (action === 'hang') return
  if (action === 'reset') return call.reset(INTERNAL_ERROR)
  if (action === 'goaway') return call.connection.goaway(call.connection.lastId, INTERNAL_ERROR)
  if (action === 'close') return call.connection.cut()
  const { status, headers = {}, body, unended = false } = action
  call.respond(status, { headers, end: body === undefined })
  if (body !== undefined) call.write(body, { end: !unended })
}
