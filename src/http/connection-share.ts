import { networkOf } from '../network/address.ts'
import type { OpenConnection } from '../system/socket-table.ts'

/** How many connections a listener may have. */
export interface ConnectionLimit {
  /** From here on those go that are at rest. */
  readonly atRest: number
  /** From here on those go that are in use too. */
  readonly atAll: number
}

export type ListenerName = 'api' | 'admin'

/** What the database, the log, threads and listeners hold open: 27 at rest, and some while a backup is made. */
export const OWN_FILES = 40

/** Each takes 4 to 5 KB of the kernel's memory, however many files may be open. */
const MAX_CONNECTIONS = 16_384

const ADMIN_SHARE = 1 / 16
const MAX_ADMIN_CONNECTIONS = 256
const MIN_CONNECTIONS = 4
const AT_REST_SHARE = 0.75

/**
 * How many connections callers may have where `maxFiles` may be open. Half is kept back: for gateways, and for those that
 * come between two looks, since Bun takes all that wait before it lets anybody look.
 */
export function connectionLimits(maxFiles: number): Readonly<Record<ListenerName, ConnectionLimit>> {
  const most = Math.min((maxFiles - OWN_FILES) / 2, MAX_CONNECTIONS)
  const limit = (wanted: number) => {
    const atAll = Math.max(Math.floor(wanted), MIN_CONNECTIONS)
    return { atRest: Math.floor(atAll * AT_REST_SHARE), atAll }
  }
  return { api: limit(most), admin: limit(Math.min(most * ADMIN_SHARE, MAX_ADMIN_CONNECTIONS)) }
}

/** So long after its last byte a connection is at rest, unless a call on it is not answered yet; in milliseconds. */
const REST_MS = 1000

/** What goes at once: a look at 10,000 connections takes 30 ms, so there is to be room for a while. */
const ROOM_SHARE = 0.25

/**
 * Which connections of one listener are to end, so that others find room. Of whoever has most of them first, the one that
 * has been idle for longest first. Proxies have as many callers as connections, so theirs go last.
 */
export function connectionsToEnd(
  connections: readonly OpenConnection[],
  { atRest, atAll }: ConnectionLimit,
  isProxy: (address: string) => boolean,
): readonly OpenConnection[] {
  if (connections.length <= atRest) return []
  const inOrder = byShare(connections, isProxy)
  const resting = inOrder.filter(({ idleMs, waits }) => idleMs >= REST_MS && !waits)
  const ending = resting.slice(0, connections.length - Math.floor(atRest * (1 - ROOM_SHARE)))
  const tooMany = connections.length - ending.length - atAll
  if (tooMany <= 0) return ending
  const gone = new Set(ending)
  return [...ending, ...inOrder.filter((connection) => !gone.has(connection)).slice(0, tooMany)]
}

/**
 * Those that wait for an answer last. Then by how many connections, less idle than this one, its network has: the most
 * first. Then by how idle it is.
 */
function byShare(connections: readonly OpenConnection[], isProxy: (address: string) => boolean) {
  const ranked: { readonly connection: OpenConnection; readonly rank: number }[] = []
  for (const [address, own] of Map.groupBy(connections, ({ address }) => networkOf(address))) {
    const proxy = isProxy(address)
    const fromBusy = own.toSorted((a, b) => a.idleMs - b.idleMs)
    for (const [rank, connection] of fromBusy.entries()) ranked.push({ connection, rank: proxy ? 0 : rank })
  }
  return ranked
    .toSorted(
      ({ connection: a, rank: rankA }, { connection: b, rank: rankB }) =>
        Number(a.waits) - Number(b.waits) || rankB - rankA || b.idleMs - a.idleMs,
    )
    .map(({ connection }) => connection)
}
