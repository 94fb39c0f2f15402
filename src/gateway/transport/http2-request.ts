import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import { constants } from 'node:http2'
import { codeOf } from '../../text/error-code.ts'
import { MAX_ANSWER_BYTES } from './transport.ts'
import { failureReason } from './failures.ts'
import type { Requested } from './session.ts'
import type { TransportRequest } from './transport.ts'

/**
 * Calls back once, when the stream is closed. `reasonOf`: what ended the session. The returned function cancels without
 * a call, and returns whether the gateway had room for the whole request.
 */
export function requestOver(
  session: ClientHttp2Session,
  authority: string,
  { path, headers, own, body }: TransportRequest,
  reasonOf: () => string | null,
  onOver: (exchanged: Requested) => void,
): () => boolean {
  if (session.closed || session.destroyed) {
    onOver({ kind: 'unprocessed', reason: reasonOf() ?? 'HTTP2GoAway' })
    return () => true
  }
  let stream: ClientHttp2Stream
  try {
    stream = session.request({
      ':method': 'POST',
      ':scheme': 'https',
      ':authority': authority,
      ':path': path,
      ...headers,
      ...(own !== undefined && { [own[0]]: own[1] }),
    })
  } catch (error) {
    onOver({ kind: 'refused', reason: failureReason(error) })
    return () => true
  }

  let status = 0
  let answerHeaders: IncomingHttpHeaders = {}
  const pieces: Buffer[] = []
  let room = MAX_ANSWER_BYTES
  let whole = false
  let failure: unknown = null
  let over = false

  stream.on('response', (received) => {
    status = received[':status'] ?? 0
    answerHeaders = received
  })
  // An unread answer would keep its stream open.
  stream.on('data', (piece: Buffer) => {
    if (room < 0) return
    pieces.push(piece.subarray(0, room))
    room -= piece.length
    if (room < 0) cancel(stream)
  })
  stream.on('end', () => {
    // Reset and lost streams end too, and Bun hides a reset without an error.
    whole = status !== 0 && stream.rstCode === constants.NGHTTP2_NO_ERROR
    // The gateway answered before it took the whole body, and may never take the rest.
    if (whole && !stream.writableFinished) cancel(stream)
  })
  stream.on('error', (error) => (failure = error))
  // Bun only reports an unsent frame, and the peer's view of the session then differs from ours.
  stream.on('frameError', () => session.destroy(new Error('frame error')))
  stream.on('close', () => {
    if (over) return
    over = true
    onOver(describe())
  })
  stream.end(body)

  function describe(): Requested {
    if (room < 0) return new Answer(status, answerHeaders, pieces)
    if (whole) {
      const promised = answerHeaders['content-length'] ?? null
      const isShort = promised !== null && Number(promised) !== MAX_ANSWER_BYTES - room
      return isShort
        ? { kind: 'unknown', reason: 'HTTP2ContentLengthMismatch' }
        : new Answer(status, answerHeaders, pieces)
    }
    if (status === 0 && codeOf(failure) === GOAWAY) return { kind: 'unprocessed', reason: 'HTTP2GoAway' }
    const refused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM && codeOf(failure) === 'ERR_HTTP2_STREAM_ERROR'
    if (status === 0 && refused) return { kind: 'unprocessed', reason: 'HTTP2RefusedStream' }
    return { kind: 'unknown', reason: reasonOf() ?? 'HTTP2StreamReset' }
  }

  return () => {
    over = true
    const taken = stream.writableFinished
    cancel(stream)
    return taken
  }
}

/** Bun's error for streams that a GOAWAY calls unprocessed. */
const GOAWAY = 'ERR_HTTP2_GOAWAY_SESSION'

/** Sends RST_STREAM once. `stream.close(code)` may send it twice (Bun 1.4.5), which counts as a flood. */
function cancel(stream: ClientHttp2Stream): void {
  Object.assign(stream, { rstCode: constants.NGHTTP2_CANCEL })
  stream.destroy()
}

class Answer {
  readonly kind = 'answer'
  readonly status: number
  readonly body: string
  readonly #headers: IncomingHttpHeaders

  constructor(status: number, headers: IncomingHttpHeaders, pieces: readonly Buffer[]) {
    this.status = status
    this.body = pieces.length === 0 ? '' : Buffer.concat(pieces).toString()
    this.#headers = headers
  }

  header(name: string): string | null {
    const value = this.#headers[name]
    return value === undefined ? null : String(value)
  }
}
