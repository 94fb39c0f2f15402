import type { GatewayBook } from '../books.ts'

/** A server of another project. */
export interface Peer {
  readonly name: string
  /** Looked up in PATH. */
  readonly program: string
  /** They print its version, in the first line with a digit. */
  readonly versionArguments: readonly string[]
  /** Possible SETTINGS_MAX_CONCURRENT_STREAMS. */
  readonly limits: readonly number[]
  /** The server has no other limit; marked in the table. Default false. */
  readonly isLimitFixed?: boolean
  /** Whether it can send GOAWAY after a number of requests. */
  readonly sendsGoaway: boolean
  /** Statuses that it can answer to `/refuse/STATUS/…`, with `refusalBody`. */
  readonly refusals: readonly number[]
  start(order: PeerOrder): Promise<RunningPeer>
}

export interface PeerOrder {
  /** SETTINGS_MAX_CONCURRENT_STREAMS. */
  readonly maxStreams: number
  /** Requests of a connection before its GOAWAY; `null`: no GOAWAY. */
  readonly goawayAfter: number | null
  readonly port: number
  /** Paths of PEM files. */
  readonly certificate: string
  readonly key: string
  /** For its files. */
  readonly folder: string
}

export interface RunningPeer {
  /** Stops it, and enters the processed requests into the book. */
  stop(book: GatewayBook): Promise<{ readonly connections: number }>
}

/** The body of every peer's refusals. */
export function refusalBody(status: number): string {
  return `{"reason":"Refused${status}"}`
}
