import { MINUTE_MS } from '../../clock.ts'

export interface TransportRequest {
  /** Percent-encoded, with the first slash. */
  readonly path: string
  /** Names in lower case. Using the same object for many requests is cheaper. */
  readonly headers: Readonly<Record<string, string>>
  /** One more header, with another value for each request. */
  readonly own?: readonly [name: string, value: string]
  readonly body: string | Uint8Array
}

export type Protocol = 'HTTP/2' | 'HTTP/1.1'

export type TransportAnswer =
  | {
      readonly kind: 'answer'
      readonly status: number
      /** The value of a header by its lower-case name; `null`: absent. */
      header(name: string): string | null
      /** At most 64 KiB of it; the rest is cut off. */
      readonly body: string
    }
  | {
      readonly kind: 'failed'
      /** The error's name, such as `ECONNREFUSED`, `HTTP2GoAway` or `proxy: 407`; `deadline`: time was up. */
      readonly reason: string
      /**
       * `no`: the gateway did not process it and never will, so it may be sent again. `unknown`: it may have.
       * `refused`: HTTP/2 can't carry it, so we don't send it.
       */
      readonly sent: 'no' | 'unknown' | 'refused'
      /** Milliseconds before another request makes sense. Absent: not known. */
      readonly afterMs?: number
      /** The gateway's reason for ending the connection, such as `BadCertificate`. Absent: none. */
      readonly word?: string
    }

/** Called once, perhaps before `send` returns. An object: a function would make three of each push. */
export interface AnswerListener {
  onAnswer(answer: TransportAnswer): void
}

/**
 * Sends to one gateway with one credential. The first request opens a connection. Disposing takes no more requests,
 * waits for those in flight, and closes.
 */
export interface Transport extends AsyncDisposable {
  /**
   * Sends a POST. Never throws; answers within the deadline. No promise: that would cost a broadcast a tenth of its
   * time.
   */
  send(request: TransportRequest, listener: AnswerListener): void
  /**
   * Later requests use a new connection; those in flight finish. A connection without an answer yet is kept: nothing is
   * known against it, and of many late answers on an old one only the first must count.
   */
  retire(): void
  /** Hands waiting requests to another transport. Absent: none ever wait. */
  handOver?(other: Transport): void
  /** What is wrong, as part of a sentence; `null`: nothing. Absent: not known. */
  readonly trouble?: string | null
  readonly connections?: number
  /** The protocol of the connection opened last; `null`: none was. Absent: not known. */
  readonly protocol?: Protocol | null
}

export function answerTo(transport: Pick<Transport, 'send'>, request: TransportRequest): Promise<TransportAnswer> {
  return new Promise((onAnswer) => transport.send(request, { onAnswer }))
}

/** Decides whether a transport may open a connection, and hears about its connections. */
export interface ConnectionWatch {
  /** Whether `refusal` limits the connections; otherwise the transport does. */
  readonly isBounding: boolean
  /** Why no connection may be opened now; `null`: one may. */
  refusal(): (TransportAnswer & { readonly kind: 'failed' }) | null
  opened(): void
  answered(): void
  /**
   * A connection ended early, or was given up with a request past its deadline. `reason`: as in `TransportAnswer`.
   * `answers`: how many it brought.
   */
  lost(reason: string, answers: number): void
  /** A connection ended after its answers, as HTTP/1.1 allows. */
  parted(): void
}

/** A connection with so many answers was worth it, however it ended. */
export const PLENTY = 500

export const UNWATCHED_CONNECTIONS: ConnectionWatch = {
  isBounding: false,
  refusal: () => null,
  opened: () => undefined,
  answered: () => undefined,
  lost: () => undefined,
  parted: () => undefined,
}

/** Bytes of an answer's body that are kept. Gateways send a few hundred. */
export const MAX_ANSWER_BYTES = 65_536

export const DEADLINE = 'deadline'

/** The reason if the gateway never made room for all of a request (RFC 9113, 5.2). */
export const WINDOW_CLOSED = 'deadline: its flow-control window stays closed'

export interface TransportOptions {
  /** Authorities to trust in place of the built-in ones, PEM. */
  readonly ca?: string | undefined
  readonly cert?: string
  /** The certificate's private key, PEM. */
  readonly key?: string
  /** Milliseconds one request may take, from the call to the last byte of its answer. */
  readonly deadlineMs: number
  /** Whether HPACK may index `authorization`; Apple asks not to. Default false. */
  readonly indexesAuthorization?: boolean
  readonly watch?: ConnectionWatch
  /**
   * Whether the gateway's reason for ending a connection holds for every other one, so that requests fail with it.
   * Default: no reason does.
   */
  readonly isFinal?: (word: string) => boolean
  /** Whether to speak HTTP/1.1 to a gateway that does not offer HTTP/2 by ALPN (RFC 7301). Default false. */
  readonly olderWillDo?: boolean
  /** Called for each open connection that takes no more requests. The reason: as in `TransportAnswer`, or `closed`. */
  readonly onEnded?: (reason: string) => void
  /** Called for each connection that ends because one side broke the rules of HTTP/2, or says that the other did. */
  readonly onProtocolError?: (reason: string) => void
}

/** `origin`: `https://host[:port]`. */
export type OpenTransport = (origin: string, options: TransportOptions) => Transport

/** Google asks for at least 10 s before a request is given up (firebase.google.com/docs/cloud-messaging/scale-fcm). */
export const DEADLINE_MS = 15_000

/**
 * An unused connection is closed after so long, as in pushy: a middlebox may have forgotten it, and then the next
 * request would never be answered.
 */
export const IDLE_MS = MINUTE_MS
