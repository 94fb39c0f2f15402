import { MINUTE_MS } from '../../clock.ts'

export interface TransportRequest {
  /** Percent-encoded, with the first slash. */
  readonly path: string
  /** Names in lower case. Sharing one object among requests is cheaper. */
  readonly headers: Readonly<Record<string, string>>
  /** A header that differs for each request. */
  readonly own?: readonly [name: string, value: string]
  readonly body: string | Uint8Array
}

export type Protocol = 'HTTP/2' | 'HTTP/1.1'

export type TransportAnswer =
  | {
      readonly kind: 'answer'
      readonly status: number
      /** By lower-case name; `null`: absent. */
      header(name: string): string | null
      /** The first 64 KiB. */
      readonly body: string
    }
  | {
      readonly kind: 'failed'
      /** Such as `ECONNREFUSED`, `HTTP2GoAway` or `proxy: 407`; `deadline`: time was up. */
      readonly reason: string
      /**
       * `no`: not processed, now or later, so it may be sent again. `unknown`: it may have been. `refused`: not sent,
       * since HTTP/2 can't carry it.
       */
      readonly sent: 'no' | 'unknown' | 'refused'
      /** The wait before another request makes sense. Absent: unknown. */
      readonly afterMs?: number
      /** Why the gateway ended the connection, such as `BadCertificate`. */
      readonly word?: string | undefined
    }

/** Called once, perhaps before `send` returns. An object, since a function would make three per push. */
export interface AnswerListener {
  onAnswer(answer: TransportAnswer): void
}

/**
 * One gateway with one credential. The first request opens a connection. Disposing takes no more requests, and waits
 * for those in flight.
 */
export interface Transport extends AsyncDisposable {
  /**
   * A POST. Never throws; answers within the deadline. No promise: that would cost a broadcast a tenth of its time.
   */
  send(request: TransportRequest, listener: AnswerListener): void
  /**
   * Later requests use a new connection; those in flight finish. A connection without answers stays: nothing is known
   * against it, and late answers on an old connection must not retire it.
   */
  retire(): void
  /** Absent: none ever wait. */
  handOver?(other: Transport): void
  /** What is wrong, as part of a sentence; `null`: nothing. Absent: unknown. */
  readonly trouble?: string | null
  readonly connections?: number
  /** Of the connection opened last; `null`: none. Absent: unknown. */
  readonly protocol?: Protocol | null
}

export function answerTo(transport: Pick<Transport, 'send'>, request: TransportRequest): Promise<TransportAnswer> {
  return new Promise((onAnswer) => transport.send(request, { onAnswer }))
}

/** Allows connections, and hears about them. */
export interface ConnectionWatch {
  /** Whether `refusal` limits the connections; else the transport does. */
  readonly isBounding: boolean
  /** Why no connection may be opened now; `null`: one may. */
  refusal(): (TransportAnswer & { readonly kind: 'failed' }) | null
  opened(): void
  answered(): void
  /**
   * It ended early, or was given up over a request past its deadline. `reason`: as in `TransportAnswer`. `answers`: how
   * many it brought.
   */
  lost(reason: string, answers: number): void
  /** It ended after its answers, as HTTP/1.1 allows. */
  parted(): void
}

/** Answers that make a connection worth it, however it ended. */
export const PLENTY = 500

export const UNWATCHED_CONNECTIONS: ConnectionWatch = {
  isBounding: false,
  refusal: () => null,
  opened: () => undefined,
  answered: () => undefined,
  lost: () => undefined,
  parted: () => undefined,
}

/** Gateways send a few hundred bytes. */
export const MAX_ANSWER_BYTES = 65_536

export const DEADLINE = 'deadline'

/** The gateway never made room for the whole request (RFC 9113, 5.2). */
export const WINDOW_CLOSED = 'deadline: its flow-control window stays closed'

export interface TransportOptions {
  /** PEM, in place of the built-in authorities. */
  readonly ca?: string | undefined
  readonly cert?: string
  /** PEM, of `cert`. */
  readonly key?: string
  /** From the call to the last byte of the answer. */
  readonly deadlineMs: number
  /**
   * Whether to index `authorization`. Google's is a kilobyte, more than the rest of a request, and too random to guess
   * from block lengths (RFC 7541, 7.1.1). Apple asks not to. Default false.
   */
  readonly indexesAuthorization?: boolean
  readonly watch?: ConnectionWatch
  /**
   * Whether a gateway's reason for ending a connection holds for all, so requests fail with it. Default: none does.
   */
  readonly isFinal?: (word: string) => boolean
  /** Whether HTTP/1.1 will do if ALPN offers no HTTP/2 (RFC 7301). Default false. */
  readonly olderWillDo?: boolean
  /** When an open connection takes no more requests. `reason`: as in `TransportAnswer`, or `closed`. */
  readonly onEnded?: (reason: string) => void
  /** When one side broke the rules of HTTP/2, or says that the other did. */
  readonly onProtocolError?: (reason: string) => void
}

/** `origin`: `https://host[:port]`. */
export type OpenTransport = (origin: string, options: TransportOptions) => Transport

/** Google asks for at least 10 s (firebase.google.com/docs/cloud-messaging/scale-fcm). */
export const DEADLINE_MS = 15_000

/** As in pushy: a middlebox may have forgotten an unused connection, and the next request would get no answer. */
export const IDLE_MS = MINUTE_MS
