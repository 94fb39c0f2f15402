import type { Protocol, TransportAnswer, TransportRequest } from './transport.ts'

export type Requested =
  | (TransportAnswer & { readonly kind: 'answer' })
  /** Not processed, now or later (RFC 9113, 8.7). */
  | { readonly kind: 'unprocessed'; readonly reason: string; readonly word?: string | undefined }
  /** The gateway may have acted on it. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** HTTP/2 can't carry it. */
  | { readonly kind: 'refused'; readonly reason: string }

/** Called once, unless the request is cancelled. */
export interface RequestListener {
  onOver(requested: Requested): void
}

export interface InFlight {
  /** The listener hears nothing more. Returns whether the gateway had room for the whole request. */
  cancel(): boolean
}

export const OVER: InFlight = { cancel: () => true }

export interface Session {
  readonly protocol: Protocol
  /** Per gateway, if fewer than the pool allows. */
  readonly maxConnections?: number
  readonly maxStreams: number
  /** The socket takes no more for now; another connection would not help. */
  readonly isBlocked: boolean
  /** There must be room. May call the listener before it returns. */
  send(request: TransportRequest, listener: RequestListener): InFlight
  close(): void
}

/** `open`: the peer has said how many streams it allows. */
export type Opened =
  | { readonly kind: 'open'; readonly session: Session }
  | {
      readonly kind: 'failed'
      readonly reason: string
      /** Whether one side broke the rules of HTTP/2. Default false. */
      readonly isProtocolError?: boolean
      readonly word?: string | undefined
    }

export interface SessionEnd {
  /** As in `TransportAnswer`, as is `word`. */
  readonly reason: string
  /**
   * `parting`: GOAWAY without an error, or the end of HTTP/1.1. `protocol`: one side broke the rules of HTTP/2, or says
   * that the other did.
   */
  readonly kind: 'parting' | 'protocol' | 'lost'
  readonly word?: string | undefined
}

export interface SessionListener {
  /** `maxStreams` or `isBlocked` may have changed. */
  onRoom(): void
  /** It takes no more requests; those in flight may still be answered. May be called again. */
  onEnd(end: SessionEnd): void
}

/** APNs puts its reason into GOAWAY's debug data, such as `{"reason":"BadCertificate"}`. */
export function endByGoaway(code: number, debugData: Buffer | undefined): SessionEnd {
  // Only a name is passed on.
  const word = /"reason"\s*:\s*"(\w{1,64})"/.exec(debugData?.toString('latin1', 0, 1024) ?? '')?.[1]
  const kind = code !== 0 ? 'protocol' : word === undefined ? 'parting' : 'lost'
  return { reason: word === undefined ? 'HTTP2GoAway' : `HTTP2GoAway: ${word}`, kind, word }
}
