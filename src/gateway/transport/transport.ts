import { MINUTE_MS } from '../../clock.ts'

/** One POST to a gateway. */
export interface TransportRequest {
  /** From the first slash on, already percent-encoded. */
  readonly path: string
  /** Names in lower case. The same object for many requests costs less than one for each. */
  readonly headers: Readonly<Record<string, string>>
  /** The header in which it differs from others with the same `headers`: its name, which is none of those, and value. */
  readonly own?: readonly [name: string, value: string]
  /** Text as UTF-8, or bytes. */
  readonly body: string | Uint8Array
}

export type Protocol = 'HTTP/2' | 'HTTP/1.1'

/** What became of a request. */
export type TransportAnswer =
  | {
      readonly kind: 'answer'
      readonly status: number
      /** The value of a header by its lower-case name; `null` if it is absent. */
      header(name: string): string | null
      /** At most 64 KiB of it; the rest is cut off. */
      readonly body: string
    }
  | {
      readonly kind: 'failed'
      /** The name of the error, such as `ECONNREFUSED`, `HTTP2GoAway` or `proxy: 407`; `deadline` if time was up. */
      readonly reason: string
      /**
       * What the gateway made of the request. `no`: it never acted on it, and never will: it may be sent again at no cost.
       * `unknown`: it may have. `refused`: we never send it, since HTTP/2 cannot carry it.
       */
      readonly sent: 'no' | 'unknown' | 'refused'
      /** Milliseconds before another request is of use. Absent: not known. */
      readonly afterMs?: number
      /** What the gateway gave as its reason when it ended the connection, such as `BadCertificate`. Absent: nothing. */
      readonly word?: string
    }

/** Told once what became of a request, perhaps before `send` returns. An object: a function would make three of each push. */
export interface AnswerListener {
  onAnswer(answer: TransportAnswer): void
}

/**
 * A way to one gateway with one credential, over TLS and HTTP/2, or HTTP/1.1 where that will do. A connection opens with the first request. Disposing
 * takes no more requests, waits for those in flight, and closes.
 */
export interface Transport extends AsyncDisposable {
  /** POSTs. Never throws; answers within the deadline. A promise for each push would cost a broadcast a tenth of its time. */
  send(request: TransportRequest, listener: AnswerListener): void
  /**
   * Requests from now on use a new connection; those in flight finish. A connection without an answer yet is kept:
   * nothing can be known against it, and of many late answers about an old one only the first must count.
   */
  retire(): void
  /** Has another transport send what waits for a connection. Absent: nothing ever waits. */
  handOver?(other: Transport): void
  /** What is wrong with the way to this gateway, as part of a sentence; `null` for nothing. Absent: nobody looks. */
  readonly trouble?: string | null
  /** Connections opened so far, as far as can be seen. */
  readonly connections?: number
  /** What was spoken on the connection that was opened last; `null`: none was. Absent: nobody looks. */
  readonly protocol?: Protocol | null
}

/** The same, where one request more or less does not matter. */
export function answerTo(transport: Pick<Transport, 'send'>, request: TransportRequest): Promise<TransportAnswer> {
  return new Promise((onAnswer) => transport.send(request, { onAnswer }))
}

/** Decides whether a transport may open a connection, and hears what becomes of those it has. */
export interface ConnectionWatch {
  /** Whether `refusal` bounds how many connections are opened, and says why; else the transport does. */
  readonly isBounding: boolean
  /** Why no connection may be opened now; `null`: one may. */
  refusal(): (TransportAnswer & { readonly kind: 'failed' }) | null
  opened(): void
  /** A request was answered, whatever the answer. */
  answered(): void
  /**
   * A connection ended that was not to end yet, or was given up with a request past its deadline. `reason`: as in
   * `TransportAnswer`. `answers`: how many it had brought, as far as can be seen.
   */
  lost(reason: string, answers: number): void
  /** A connection ended after its answers, as HTTP/1.1 allows: another may take its place. */
  parted(): void
}

/** A connection that brought so many answers was worth it, however it ended. */
export const PLENTY = 500

/** Nobody minds how many connections there are. */
export const UNWATCHED_CONNECTIONS: ConnectionWatch = {
  isBounding: false,
  refusal: () => null,
  opened: () => undefined,
  answered: () => undefined,
  lost: () => undefined,
  parted: () => undefined,
}

/** The reason of a request past its deadline. */
export const DEADLINE = 'deadline'

/** The reason where the gateway never gave the room to send all of a request (RFC 9113, 5.2). */
export const WINDOW_CLOSED = 'deadline: its flow-control window stays closed'

export interface TransportOptions {
  /** Authorities to trust in place of the built-in ones, PEM. */
  readonly ca?: string
  /** TLS client certificate, PEM. */
  readonly cert?: string
  /** The certificate's private key, PEM. */
  readonly key?: string
  /** Milliseconds one request may take, from the call to the last byte of its answer. */
  readonly deadlineMs: number
  /** Whether the header `authorization` may be kept in the table of HPACK; Apple asks for a literal. Default false. */
  readonly indexesAuthorization?: boolean
  /** Default `UNWATCHED_CONNECTIONS`. */
  readonly watch?: ConnectionWatch
  /**
   * Whether the word with which a gateway ended a connection holds for every other one too, so that requests fail with
   * it. Default: none does.
   */
  readonly isFinal?: (word: string) => boolean
  /** Whether HTTP/1.1 will do for a gateway that does not offer HTTP/2 by ALPN (RFC 7301). Default false. */
  readonly olderWillDo?: boolean
  /** Told of each connection that was open and takes no more requests, and why: as in `TransportAnswer`, or `closed`. */
  readonly onEnded?: (reason: string) => void
  /** Told of each connection that ends because one side breaks the rules of HTTP/2, or says so of the other. */
  readonly onProtocolError?: (reason: string) => void
}

/** `origin`: `https://host[:port]`. */
export type OpenTransport = (origin: string, options: TransportOptions) => Transport

/** Google asks for at least 10 s before a request is given up (firebase.google.com/docs/cloud-messaging/scale-fcm). */
export const DEADLINE_MS = 15_000

/**
 * A connection unused for so long is closed, as pushy does: what lies between may have forgotten it, and then the next
 * request on it is never answered.
 */
export const IDLE_MS = MINUTE_MS
