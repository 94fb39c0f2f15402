/** A request as the gateways check it: complete, its body read. */
export interface IncomingRequest {
  readonly method: string
  /** With the query, if any. */
  readonly path: string
  /** Names in lower case; a name that came more than once has its values joined. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Whether any header came more than once. */
  readonly repeatedHeaders: boolean
  /** Cut off somewhere beyond 64 KiB, which is more than any gateway takes. */
  readonly body: Buffer
}

export const MAX_REQUEST_BYTES = 65_536
