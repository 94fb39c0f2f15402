import type { Protocol, TransportAnswer, TransportRequest } from './transport.ts'

export type Requested =
  | (TransportAnswer & { readonly kind: 'answer' })
  /** The gateway did not process it and never will (RFC 9113, 8.7): it may be sent again. */
  | { readonly kind: 'unprocessed'; readonly reason: string; readonly word?: string }
  /** The gateway may have acted on it. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** Not sent: HTTP/2 can't carry the request. */
  | { readonly kind: 'refused'; readonly reason: string }

/** Called once, unless the request is cancelled. */
export interface RequestListener {
  onOver(requested: Requested): void
}

export interface InFlight {
  /** Gives the request up: its listener hears nothing more. Returns whether the gateway had room for all of it. */
  cancel(): boolean
}

export const OVER: InFlight = { cancel: () => true }

export interface Session {
  readonly protocol: Protocol
  /** Connections to one gateway, if fewer than the pool allows. */
  readonly maxConnections?: number
  /** Requests that the peer allows at the moment. */
  readonly maxStreams: number
  /** Its socket takes no more for now; another connection would not help. */
  readonly isBlocked: boolean
  /** There must be room. The listener may be called before this returns. */
  send(request: TransportRequest, listener: RequestListener): InFlight
  close(): void
}

/** A session whose peer has said how many streams it allows, or why there is none. */
export type Opened =
  | { readonly kind: 'open'; readonly session: Session }
  /** `isProtocolError`: one side broke the rules of HTTP/2. Default false. */
  | { readonly kind: 'failed'; readonly reason: string; readonly isProtocolError?: boolean; readonly word?: string }

export interface SessionEnd {
  /** As in `TransportAnswer`. */
  readonly reason: string
  /**
   * `parting`: by GOAWAY without an error, or as HTTP/1.1 ends. `protocol`: one side broke the rules of HTTP/2, or says
   * that the other did.
   */
  readonly kind: 'parting' | 'protocol' | 'lost'
  /** As in `TransportAnswer`. */
  readonly word?: string
}

export interface SessionListener {
  /** The number of requests that it takes may have changed. */
  onRoom(): void
  /** It takes no more requests; those in flight may still be answered. May be called more than once. */
  onEnd(end: SessionEnd): void
}

/** What a GOAWAY says. APNs puts its reason into the debug data, such as `{"reason":"BadCertificate"}`. */
export function endByGoaway(code: number, debugData: Buffer | undefined): SessionEnd {
  // Only a name is passed on.
  const word = /"reason"\s*:\s*"(\w{1,64})"/.exec(debugData?.toString('latin1', 0, 1024) ?? '')?.[1]
  const kind = code !== 0 ? 'protocol' : word === undefined ? 'parting' : 'lost'
  return word === undefined ? { reason: 'HTTP2GoAway', kind } : { reason: `HTTP2GoAway: ${word}`, kind, word }
}
