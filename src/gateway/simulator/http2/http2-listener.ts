import type { TLSSocket } from 'node:tls'
import type { Clock } from '../../../clock.ts'
import { SettingId } from '../../transport/h2/frames.ts'
import type { Pem } from '../certificate.ts'
import { startHttp2Server } from './http2-server.ts'
import type { IncomingRequest, Reply } from './reply.ts'
import type { ServerConnection } from './server-connection.ts'
import type { ServerStream } from './server-stream.ts'

export interface Http2ListenerOptions<State> {
  readonly clock: Clock
  readonly pem: Pem
  /** SETTINGS_MAX_CONCURRENT_STREAMS. */
  readonly maxStreams: number
  /** Until a connection's first 200. Default `maxStreams`. */
  readonly firstStreams?: number
  readonly goawayData?: string
  /** Makes a connection's state. `fingerprint`: SHA-256 of the client certificate. */
  readonly open: (fingerprint: string | null) => State
  readonly handle: (request: IncomingRequest, state: State) => Reply
  readonly onConnection?: OnConnection | undefined
}

/** Called before any request is read, for tests that break connections. */
export type OnConnection = (
  connection: ServerConnection,
  socket: TLSSocket,
) => { readonly onBegin: (stream: ServerStream) => void; readonly onClosed: (stream: ServerStream) => void }

export interface ListenerCounts {
  readonly sessions: number
  readonly openSessions: number
  readonly streams: number
  readonly openStreams: number
  readonly peakStreams: number
}

export interface Http2Listener extends AsyncDisposable {
  readonly url: string
  counts(): ListenerCounts
  /** `code`: an HTTP/2 error code, default 0 (no error). */
  goaway(code?: number): void
  disconnect(): void
}

/** On a free port of 127.0.0.1. */
export async function listenHttp2<State>(options: Http2ListenerOptions<State>): Promise<Http2Listener> {
  const { clock, maxStreams, firstStreams = maxStreams, goawayData: debugData = '', open, handle } = options
  const connections = new Set<ServerConnection>()
  const counts = { sessions: 0, openSessions: 0, streams: 0, openStreams: 0, peakStreams: 0 }

  const server = await startHttp2Server(options.pem, (connection, socket) => {
    const waiting = new Set<() => void>()
    let isLimited = firstStreams !== maxStreams
    let opened: { readonly state: State } | null = null
    const allow = (streams: number): void => connection.settings([SettingId.maxConcurrentStreams, streams])
    connections.add(connection)
    counts.sessions++
    counts.openSessions++
    socket.on('close', () => {
      for (const cancel of waiting) cancel()
      connections.delete(connection)
      counts.openSessions--
    })
    allow(firstStreams)

    function answer(stream: ServerStream, { answer: { status, headers, body }, goaway }: AnswerReply): void {
      if (goaway === true) connection.goaway(0, { debugData })
      if (isLimited && status === 200) {
        isLimited = false
        allow(maxStreams)
      }
      const date = new Date(clock.now()).toUTCString()
      stream.respond(status, { date, ...headers }, { end: body === '' })
      if (body !== '') stream.write(body)
    }

    function perform(stream: ServerStream, reply: Reply): void {
      switch (reply.kind) {
        case 'answer': {
          if (reply.narrow === true) {
            isLimited = true
            allow(1)
          }
          if ((reply.afterMs ?? 0) <= 0) return answer(stream, reply)
          const cancel = clock.after(reply.afterMs ?? 0, () => {
            waiting.delete(cancel)
            answer(stream, reply)
          })
          waiting.add(cancel)
          return
        }
        case 'reset':
          return stream.reset(reply.code)
        case 'goaway':
          return connection.goaway(reply.code, { debugData })
        case 'parting':
          connection.goaway(0, { lastId: 0, debugData: JSON.stringify({ reason: reply.word }) })
          return void socket.end()
        case 'close':
          return void socket.destroy()
        case 'custom':
          return reply.perform(stream)
        case 'silent':
      }
    }

    const other = options.onConnection?.(connection, socket)
    return {
      onBegin(stream) {
        counts.streams++
        counts.peakStreams = Math.max(counts.peakStreams, ++counts.openStreams)
        other?.onBegin(stream)
      },
      onRequest(stream) {
        opened ??= { state: open(socket.getPeerCertificate()?.fingerprint256 ?? null) }
        perform(stream, handle(stream, opened.state))
      },
      onClosed(stream) {
        counts.openStreams--
        other?.onClosed(stream)
      },
    }
  })

  return {
    url: `https://127.0.0.1:${server.port}`,
    counts: () => ({ ...counts }),
    goaway(code = 0) {
      for (const connection of connections) connection.goaway(code, { debugData })
    },
    disconnect: () => server.disconnect(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

type AnswerReply = Extract<Reply, { kind: 'answer' }>
