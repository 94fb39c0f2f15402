import type { Http2Session, ServerHttp2Stream } from 'node:http2'
import type { Clock } from '../../../clock.ts'
import type { SimulatedAnswer, Reply } from './reply.ts'

export interface Http2ReplierOptions {
  readonly clock: Clock
  readonly session: Http2Session
  /** The debug data of GOAWAY frames. */
  readonly goawayData: Buffer
  /** Drops the TCP connection under the session. */
  readonly drop: () => void
  /** Writes these bytes on the TLS connection, past the session, and closes it. */
  readonly part: (bytes: Buffer) => void
  /** The connection is to take one request at a time, until the next 200. */
  readonly narrowed: () => void
  /** Told of every answer, before it is sent. */
  readonly answering: (answer: SimulatedAnswer) => void
}

export interface Http2Replier {
  perform(stream: ServerHttp2Stream, reply: Reply): void
  /** Forgets the answers that still wait for their time. */
  cancel(): void
}

/** Does on the streams of one connection what the gateway decided. */
export function createHttp2Replier({
  clock,
  session,
  goawayData,
  drop,
  part,
  narrowed,
  answering,
}: Http2ReplierOptions): Http2Replier {
  const waiting = new Set<() => void>()

  const send = (stream: ServerHttp2Stream, answer: SimulatedAnswer, goaway: boolean): void => {
    if (stream.destroyed) return
    if (goaway) session.goaway(0, undefined, goawayData)
    answering(answer)
    const date = new Date(clock.now()).toUTCString()
    stream.respond({ ':status': answer.status, date, ...answer.headers }, { endStream: answer.body === '' })
    if (answer.body !== '') stream.end(answer.body)
  }

  const sendLater = (stream: ServerHttp2Stream, answer: SimulatedAnswer, goaway: boolean, afterMs: number): void => {
    const cancel = clock.after(afterMs, () => {
      waiting.delete(cancel)
      send(stream, answer, goaway)
    })
    waiting.add(cancel)
  }

  return {
    perform(stream, reply) {
      switch (reply.kind) {
        case 'answer': {
          const { answer, afterMs = 0, goaway = false, narrow = false } = reply
          if (narrow) narrowed()
          if (afterMs > 0) sendLater(stream, answer, goaway, afterMs)
          else send(stream, answer, goaway)
          return
        }
        case 'reset':
          reset(stream, reply.code)
          return
        case 'goaway':
          session.goaway(reply.code, undefined, goawayData)
          return
        case 'parting':
          part(goawayOfNothing(reply.word))
          return
        case 'close':
          drop()
          return
        case 'custom':
          reply.perform(stream)
          return
        case 'silent':
      }
    },
    cancel() {
      for (const cancel of waiting) cancel()
      waiting.clear()
    },
  }
}

/**
 * GOAWAY (RFC 9113, 6.8) without error and with 0 for the last stream that was looked at; Bun 1.4.5 writes the last one
 * that it has seen, whatever it is given (measured).
 */
function goawayOfNothing(word: string): Buffer {
  const payload = Buffer.concat([Buffer.alloc(8), Buffer.from(JSON.stringify({ reason: word }))])
  return Buffer.concat([Buffer.from([0, 0, payload.length, GOAWAY, 0, 0, 0, 0, 0]), payload])
}

const GOAWAY = 0x7

/**
 * On Bun 1.4.5 `stream.close(code)` sends an empty DATA frame instead of RST_STREAM (measured). Destroying the stream
 * with an error sends the frame, with the code found in `rstCode`.
 */
function reset(stream: ServerHttp2Stream, code: number): void {
  Object.assign(stream, { rstCode: code })
  stream.destroy(new Error('reset on request'))
}
