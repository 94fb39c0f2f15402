import type { ServerStream } from './server-stream.ts'

export interface IncomingRequest {
  readonly method: string
  readonly path: string
  /** Names in lower case; repeated ones have their values joined. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Whether a header was repeated. */
  readonly repeatedHeaders: boolean
  /** Cut off at some 64 KiB. */
  readonly body: Buffer
}

/** An HTTP answer. An empty `body` ends the stream with the headers, as Apple does on success. */
export interface SimulatedAnswer {
  readonly status: number
  /** Without content-length: with a late END_STREAM, clients would reset the stream. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Reply =
  /**
   * `afterMs`: ms to wait first. `goaway`: GOAWAY before the answer. `narrow`: the connection takes one request at a
   * time until the next 200.
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
  /** GOAWAY with this error code, and no answer. */
  | { readonly kind: 'goaway'; readonly code: number }
  /** GOAWAY without error that says that nothing was processed; `word`: the reason in its debug data. */
  | { readonly kind: 'parting'; readonly word: string }
  | { readonly kind: 'silent' }
  | { readonly kind: 'close' }
  /** The script itself answers on the stream, for what no gateway should send. */
  | { readonly kind: 'custom'; readonly perform: (stream: ServerStream) => void }

type GatewayName = 'apns' | 'apns-sandbox' | 'fcm' | 'fcm-token' | 'webpush'

export interface Attempt {
  readonly gateway: GatewayName
  /** The device token; for `webpush` the endpoint; for `fcm-token` the service account's address. */
  readonly token: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The parsed JSON; for `fcm-token` the claims; `null`: unreadable. */
  readonly body: unknown
}

/** Decides in place of the token; `null`: the token decides. */
export type Script = (attempt: Attempt) => Reply | null
