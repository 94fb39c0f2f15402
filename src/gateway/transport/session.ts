import type { Protocol, TransportAnswer, TransportRequest } from './transport.ts'

/** What became of a request on one connection. */
export type Requested =
  | (TransportAnswer & { readonly kind: 'answer' })
  /** The gateway did nothing about it, and never will (RFC 9113, 8.7): it may be sent again. */
  | { readonly kind: 'unprocessed'; readonly reason: string; readonly word?: string }
  /** The gateway may have acted on it. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** It was not sent, and no gateway would get it: it is no request that HTTP/2 can carry. */
  | { readonly kind: 'refused'; readonly reason: string }

/** Hears what became of a request; once, unless the request is cancelled. */
export interface RequestListener {
  onOver(requested: Requested): void
}

/** A request on its way. */
export interface InFlight {
  /** Gives the request up: its listener hears nothing more. Whether the gateway had room for all of it. */
  cancel(): boolean
}

/** A request that is over. */
export const OVER: InFlight = { cancel: () => true }

/** An open connection, whoever writes on it. */
export interface Session {
  readonly protocol: Protocol
  /** Connections to one gateway at the most, where there are fewer than the pool allows. */
  readonly maxConnections?: number
  /** Requests that it may have in flight at the moment, as the peer says. */
  readonly maxStreams: number
  /** Its socket takes no more for now, which another connection would not change. */
  readonly isBlocked: boolean
  /** Sends a request; there is room for it. The listener may hear at once. */
  send(request: TransportRequest, listener: RequestListener): InFlight
  /** Ends the connection; whatever is in flight is over. */
  close(): void
}

/** A session whose peer has said how many streams it allows; or why there is none. */
export type Opened =
  | { readonly kind: 'open'; readonly session: Session }
  /** `isProtocolError`: one side broke the rules of HTTP/2 before it was open. Default false. */
  | { readonly kind: 'failed'; readonly reason: string; readonly isProtocolError?: boolean; readonly word?: string }

/** Why a session takes no more requests. */
export interface SessionEnd {
  /** As in `TransportAnswer`. */
  readonly reason: string
  /** `parting`: as agreed, by GOAWAY without an error, or as HTTP/1.1 ends. `protocol`: one side broke the rules of HTTP/2, or says so of the other. */
  readonly kind: 'parting' | 'protocol' | 'lost'
  /** As in `TransportAnswer`. */
  readonly word?: string
}

/** Hears of a session. */
export interface SessionListener {
  /** It may have in flight more than before, or fewer. */
  onRoom(): void
  /** It takes no more requests; those in flight may still be answered. Perhaps more than once. */
  onEnd(end: SessionEnd): void
}
