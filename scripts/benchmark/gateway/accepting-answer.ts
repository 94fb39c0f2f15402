import { DATA, END_HEADERS, END_STREAM, frame, HEADERS } from '../../../test/support/frames.ts'

export const FCM_PROJECT = 'bellhop-bench'

export type AnswerKind = 'apns' | 'fcm'

/** Bytes of an answer, to be copied and filled in. */
export interface AcceptingAnswer {
  readonly bytes: Uint8Array
  /** Offsets of the frames, each of which names its stream. */
  readonly frames: readonly number[]
  /** Where the digits of the answer's number end. */
  readonly numberEnd: number
}

/** Digits of the number. */
export const NUMBER_DIGITS = 12
const ZEROS = '0'.repeat(NUMBER_DIGITS)

/** `:status: 200` of the static table (RFC 7541, 6.1 and appendix A). */
const STATUS_200 = '\x88'

export function acceptingAnswer(kind: AnswerKind): AcceptingAnswer {
  return kind === 'apns' ? apnsAnswer() : fcmAnswer()
}

/** No content, and no content-length. */
function apnsAnswer(): AcceptingAnswer {
  const fields = Buffer.from(STATUS_200 + field('apns-id', `00000000-0000-4000-8000-${ZEROS}`), 'latin1')
  const bytes = frame(HEADERS, END_STREAM | END_HEADERS, 0, fields)
  return { bytes, frames: [0], numberEnd: bytes.length }
}

/**
 * A message's name. The same body also answers requests for access tokens: the stand-in decodes no headers and can't
 * tell them apart.
 */
function fcmAnswer(): AcceptingAnswer {
  const name = `{"name":"projects/${FCM_PROJECT}/messages/0:${ZEROS}`
  const body = `${name}","access_token":"bench","expires_in":3599,"token_type":"Bearer"}`
  const fields = Buffer.from(STATUS_200 + field('content-type', 'application/json; charset=UTF-8'), 'latin1')
  const head = frame(HEADERS, END_HEADERS, 0, fields)
  const data = frame(DATA, END_STREAM, 0, Buffer.from(body))
  const numberEnd = head.length + data.length - Buffer.byteLength(body) + name.length
  return { bytes: Buffer.concat([head, data]), frames: [0, head.length], numberEnd }
}

/** A literal without indexing, its name and value below 127 bytes (RFC 7541, 6.2.2). */
function field(name: string, value: string): string {
  return `\0${String.fromCharCode(name.length)}${name}${String.fromCharCode(value.length)}${value}`
}
