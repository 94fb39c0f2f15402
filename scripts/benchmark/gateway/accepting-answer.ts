import { DATA, END_HEADERS, END_STREAM, frame, HEADERS } from '../../../test/support/frames.ts'

/** The project of the bench's service account. */
export const FCM_PROJECT = 'bellhop-bench'

/** How a gateway says that it takes a push. */
export type AnswerKind = 'apns' | 'fcm'

/** One answer in bytes, to be copied and filled in. */
export interface AcceptingAnswer {
  readonly bytes: Uint8Array
  /** Where frames begin: each names its stream. */
  readonly frames: readonly number[]
  /** Where the digits end that are another number in each answer. */
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

/** No content, and no content-length either. */
function apnsAnswer(): AcceptingAnswer {
  const fields = Buffer.from(STATUS_200 + field('apns-id', `00000000-0000-4000-8000-${ZEROS}`), 'latin1')
  const bytes = frame(HEADERS, END_STREAM | END_HEADERS, 0, fields)
  return { bytes, frames: [0], numberEnd: bytes.length }
}

/**
 * The name of a message. Google's answer to a request for an access token is in the same body: the stand-in decodes no
 * header, so it cannot tell one request from the other.
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

/** A literal that is not indexed, its name and value below 127 bytes (RFC 7541, 6.2.2). */
function field(name: string, value: string): string {
  return `\0${String.fromCharCode(name.length)}${name}${String.fromCharCode(value.length)}${value}`
}
