import type { GatewayBook } from '../books.ts'

/** A server by somebody else that we prove the transports against. */
export interface Peer {
  readonly name: string
  /** Its program, looked up in PATH. */
  readonly program: string
  /** Arguments that have it print its version, in the first line that has a digit. */
  readonly versionArguments: readonly string[]
  /** SETTINGS_MAX_CONCURRENT_STREAMS that it can be given. */
  readonly limits: readonly number[]
  /** The only limit it has, where none can be set; said in the table. Default false. */
  readonly isLimitFixed?: boolean
  /** Whether it can send GOAWAY after so many requests on a connection. */
  readonly sendsGoaway: boolean
  /** Statuses with which it can refuse `/refuse/STATUS/…`, with a body that `refusalBody` gives. */
  readonly refusals: readonly number[]
  start(order: PeerOrder): Promise<RunningPeer>
}

export interface PeerOrder {
  /** SETTINGS_MAX_CONCURRENT_STREAMS. */
  readonly maxStreams: number
  /** Requests on a connection before its GOAWAY; `null`: no GOAWAY. */
  readonly goawayAfter: number | null
  readonly port: number
  /** Paths of PEM files. */
  readonly certificate: string
  readonly key: string
  /** A directory for its files. */
  readonly folder: string
}

export interface RunningPeer {
  /** Stops it, writes down what it has processed, and says how many connections it had. */
  stop(book: GatewayBook): Promise<{ readonly connections: number }>
}

/** The body of a refusal by every peer that can refuse. */
export function refusalBody(status: number): string {
  return `{"reason":"Refused${status}"}`
}
