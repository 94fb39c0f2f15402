import type { SimulatedAnswer } from '../../../src/gateway/simulator/http2/reply.ts'
import { chance } from '../../support/chance.ts'

/**
 * How a request that is in order is refused. 429 is FCM's quota of the whole project, and 'throttled' the one of a device;
 * APNs has only that. 'mismatch': the token is another app's. 'third party': Firebase itself has no key for this phone.
 * Of FCM alone, and elsewhere what is most like it: 'page', of Google's front end; 'iphone key'
 * and 'iphone gone', what Apple has answered to FCM.
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

/** What a gateway does with one request that is in order. `taken`: whether it acts on it, which the sender cannot know. */
export type PlannedReply =
  /** Takes it and says so. `lateEnd`: with a content-length, and the end of the stream only later. */
  | { readonly kind: 'accept'; readonly afterMs?: number; readonly lateEnd?: boolean }
  /** Does not take it, and says so. `retryAfterSeconds`: left out without one. */
  | { readonly kind: 'refuse'; readonly as: Refusal; readonly retryAfterSeconds?: number }
  /**
   * Does not take it, and answers in words of its own. `delivers`: it takes it all the same. `narrows`: the connection takes
   * one request at a time until the next is taken. Default: neither.
   */
  | {
      readonly kind: 'say'
      readonly answer: SimulatedAnswer
      readonly delivers?: true
      readonly narrows?: true
    }
  /** GOAWAY without error that says that nothing was looked at, and `word`. */
  | { readonly kind: 'parting'; readonly word: string }
  /** 200 with a body that is not the gateway's. */
  | { readonly kind: 'garble'; readonly taken: boolean }
  /** RST_STREAM with this code (RFC 9113, 7). REFUSED_STREAM is never taken. */
  | { readonly kind: 'reset'; readonly code: number; readonly taken: boolean }
  | { readonly kind: 'silence'; readonly taken: boolean }
  /** The TCP connection is dropped; `midAnswer`: when half of the answer is out. All others on it share the fate. */
  | { readonly kind: 'cut'; readonly midAnswer: boolean; readonly taken: boolean }
  /** The connection is closed as soon as it has carried this request; `answered`: with its answer. */
  | { readonly kind: 'part'; readonly answered: boolean }
  /** Takes it, and spreads the head of the answer over hundreds of CONTINUATION frames. */
  | { readonly kind: 'flood' }
  /** Bytes that are no HTTP/2, then the connection is dropped. */
  | { readonly kind: 'noise'; readonly taken: boolean }
  /**
   * GOAWAY without error. `half`: only half of the requests that are open are finished, and the last stream id says
   * which; else all of them are.
   */
  | { readonly kind: 'farewell'; readonly half: boolean }
  /** GOAWAY with an error, and nothing that is open is answered. */
  | { readonly kind: 'goaway'; readonly code: number; readonly taken: boolean }

/** What a plan may decide by. */
export interface Incoming {
  readonly token: string
  readonly text: string | null
  /** Of the same text to the same token: 1 is the first. */
  readonly attempt: number
}

/** `null`: the request is taken and answered as usual. */
export type Plan = (incoming: Incoming) => PlannedReply | null

/** Meets each request with this. */
export const always = (reply: PlannedReply) => (): PlannedReply => reply

/** Meets the requests for these tokens. */
export function forTokens(tokens: Pick<ReadonlySet<string>, 'has'>, reply: PlannedReply): Plan {
  return ({ token }) => (tokens.has(token) ? reply : null)
}

/** Meets a share of all first requests, drawn by `seed` and `name`. `coin`: in [0, 1), another one for each. */
export function someFirst(seed: number, name: string, share: number, reply: (coin: number) => PlannedReply): Plan {
  return ({ token, text, attempt }) => {
    const words = [name, token, String(text)]
    return attempt > 1 || chance(seed, ...words) >= share ? null : reply(chance(seed, 'coin', ...words))
  }
}
