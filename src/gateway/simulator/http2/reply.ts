import type { ServerHttp2Stream } from 'node:http2'

/** An HTTP answer. An empty `body` ends the stream with the headers, as Apple does on success. */
export interface SimulatedAnswer {
  readonly status: number
  /** Never content-length: with a late END_STREAM it makes clients reset the stream. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a gateway does with one request. */
export type Reply =
  /**
   * `afterMs`: ms to wait first, default 0. `goaway`: also tells the client, before the answer, that the connection
   * takes no more requests; default false. `narrow`: the connection takes one request at a time until the next 200;
   * default false.
   */
  | {
      readonly kind: 'answer'
      readonly answer: SimulatedAnswer
      readonly afterMs?: number
      readonly goaway?: boolean
      readonly narrow?: boolean
    }
  /** RST_STREAM with this error code (RFC 9113, 7). */
  | { readonly kind: 'reset'; readonly code: number }
  /** GOAWAY with this error code, and no answer: the client cannot know what became of its requests. */
  | { readonly kind: 'goaway'; readonly code: number }
  /** GOAWAY without error, which says that no request was looked at; `word` is the reason in its debug data. */
  | { readonly kind: 'parting'; readonly word: string }
  /** Never answers. */
  | { readonly kind: 'silent' }
  /** Drops the TCP connection without a word. */
  | { readonly kind: 'close' }
  /** The script itself answers on the stream: with what no gateway should send. */
  | { readonly kind: 'custom'; readonly perform: (stream: ServerHttp2Stream) => void }

type GatewayName = 'apns' | 'apns-sandbox' | 'fcm' | 'fcm-token' | 'webpush'

/** A request that passed every check, before it is answered. */
export interface Attempt {
  readonly gateway: GatewayName
  /** The device token; for `webpush` the endpoint; for `fcm-token` the service account's address. */
  readonly token: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The parsed JSON; for `fcm-token`, the claims; `null` where a message cannot be read. */
  readonly body: unknown
}

/** Decides in place of the token; `null` leaves the request to that. */
export type Script = (attempt: Attempt) => Reply | null
