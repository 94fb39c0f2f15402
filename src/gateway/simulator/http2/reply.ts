import type { ServerStream } from './server-stream.ts'

export interface IncomingRequest {
  readonly method: string
  readonly path: string
  /** Names in lower case; values of a repeated name are joined. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly repeatedHeaders: boolean
  /** Truncated at about 64 KiB. */
  readonly body: Buffer
}

/** An empty `body` ends the stream with the headers, as Apple does on success. */
export interface SimulatedAnswer {
  readonly status: number
  /** Without content-length: with a late END_STREAM, clients would reset the stream. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Reply =
  /** `afterMs`: delay. `goaway`: GOAWAY before the answer. `narrow`: one request at a time until the next 200. */
  | {
      readonly kind: 'answer'
      readonly answer: SimulatedAnswer
      readonly afterMs?: number
      readonly goaway?: boolean
      readonly narrow?: boolean
    }
  /** RST_STREAM with this error code (RFC 9113, 7). */
  | { readonly kind: 'reset'; readonly code: number }
  | { readonly kind: 'goaway'; readonly code: number }
  /** GOAWAY without error: nothing was processed. `word`: the reason in its debug data. */
  | { readonly kind: 'parting'; readonly word: string }
  | { readonly kind: 'silent' }
  | { readonly kind: 'close' }
  /** For what no gateway should send. */
  | { readonly kind: 'custom'; readonly perform: (stream: ServerStream) => void }

type GatewayName = 'apns' | 'apns-sandbox' | 'fcm' | 'fcm-token' | 'webpush'

export interface Attempt {
  readonly gateway: GatewayName
  /** The device token; `webpush`: the endpoint; `fcm-token`: the service account's address. */
  readonly token: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Parsed JSON; `fcm-token`: the claims; `null`: unreadable. */
  readonly body: unknown
}

/** `null`: the token decides. */
export type Script = (attempt: Attempt) => Reply | null
