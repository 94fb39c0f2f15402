import type { SimulatedAnswer } from '../../../src/gateway/simulator/http2/reply.ts'
import { chance } from '../../support/chance.ts'

/**
 * How a valid request is refused. 429 is FCM's quota of the project, 'throttled' that of a device; APNs has only the
 * latter. 'mismatch': the token belongs to another app. 'third party': Firebase has no key for this phone. For FCM
 * only, with the closest refusal of other gateways: 'page' of Google's front end, 'iphone key' and 'iphone gone',
 * Apple's answers to FCM.
 */
export type Refusal =
  | 401
  | 403
  | 404
  | 429
  | 500
  | 503
  | 'throttled'
  | 'bad token'
  | 'mismatch'
  | 'third party'
  | 'gone'
  | 'bad push'
  | 'page'
  | 'iphone key'
  | 'iphone gone'

/** What a gateway does with a valid request. `taken`: whether it delivers; the sender cannot know that. */
export type PlannedReply =
  /** Accepts. `lateEnd`: with a content-length, and the stream ends later. */
  | { readonly kind: 'accept'; readonly afterMs?: number; readonly lateEnd?: boolean }
  /** Refuses. `retryAfterSeconds`: default no Retry-After. */
  | { readonly kind: 'refuse'; readonly as: Refusal; readonly retryAfterSeconds?: number }
  /**
   * Answers with these words. `delivers`: but takes it. `narrows`: one request at a time on the connection until the
   * next is taken. Default: neither.
   */
  | {
      readonly kind: 'say'
      readonly answer: SimulatedAnswer
      readonly delivers?: true
      readonly narrows?: true
    }
  /** GOAWAY without error: nothing was processed, and the reason `word`. */
  | { readonly kind: 'parting'; readonly word: string }
  /** 200 with a foreign body. */
  | { readonly kind: 'garble'; readonly taken: boolean }
  /** RST_STREAM with this code (RFC 9113, 7). A REFUSED_STREAM is never taken. */
  | { readonly kind: 'reset'; readonly code: number; readonly taken: boolean }
  | { readonly kind: 'silence'; readonly taken: boolean }
  /** Drops the TCP connection with everything on it; `midAnswer`: in the middle of the answer. */
  | { readonly kind: 'cut'; readonly midAnswer: boolean; readonly taken: boolean }
  /** Closes the connection after this request; `answered`: with its answer. */
  | { readonly kind: 'part'; readonly answered: boolean }
  /** Accepts, with an answer head in hundreds of CONTINUATION frames. */
  | { readonly kind: 'flood' }
  /** Bytes that are not HTTP/2, then the end of the connection. */
  | { readonly kind: 'noise'; readonly taken: boolean }
  /**
   * GOAWAY without error. `half`: the last stream id leaves half of the open requests unprocessed; otherwise all are
   * answered.
   */
  | { readonly kind: 'farewell'; readonly half: boolean }
  /** GOAWAY with an error. Open requests get no answer. */
  | { readonly kind: 'goaway'; readonly code: number; readonly taken: boolean }

export interface Incoming {
  readonly token: string
  readonly text: string | null
  /** Attempts of this text for this token, counted from 1. */
  readonly attempt: number
}

/** `null`: accepts as usual. */
export type Plan = (incoming: Incoming) => PlannedReply | null

export const always = (reply: PlannedReply) => (): PlannedReply => reply

export function forTokens(tokens: Pick<ReadonlySet<string>, 'has'>, reply: PlannedReply): Plan {
  return ({ token }) => (tokens.has(token) ? reply : null)
}

/** Answers a share of all first attempts, drawn by `seed` and `name`. `coin`: in [0, 1), drawn for each. */
export function someFirst(seed: number, name: string, share: number, reply: (coin: number) => PlannedReply): Plan {
  return ({ token, text, attempt }) => {
    const words = [name, token, String(text)]
    return attempt > 1 || chance(seed, ...words) >= share ? null : reply(chance(seed, 'coin', ...words))
  }
}
