import { networkOf } from '../network/address.ts'
import type { OpenConnection } from '../system/socket-table.ts'

export interface ConnectionLimit {
  readonly atRest: number
  readonly atAll: number
}

export type ListenerName = 'api' | 'admin'

/** Files of the service itself: 27 at rest, and more while a backup is made. */
export const OWN_FILES = 40

const MAX_CONNECTIONS = 16_384

const ADMIN_SHARE = 1 / 16
const MAX_ADMIN_CONNECTIONS = 256
const MIN_CONNECTIONS = 4
const AT_REST_SHARE = 0.75

/**
 * Limits for a process that may open `maxFiles`. Half is reserved for gateways, and for connections that arrive between
 * two checks.
 */
export function connectionLimits(maxFiles: number): Readonly<Record<ListenerName, ConnectionLimit>> {
  const most = Math.min((maxFiles - OWN_FILES) / 2, MAX_CONNECTIONS)
  const limit = (wanted: number) => {
    const atAll = Math.max(Math.floor(wanted), MIN_CONNECTIONS)
    return { atRest: Math.floor(atAll * AT_REST_SHARE), atAll }
  }
  return { api: limit(most), admin: limit(Math.min(most * ADMIN_SHARE, MAX_ADMIN_CONNECTIONS)) }
}

/** Milliseconds without a byte after which a connection without an open call is at rest. */
const REST_MS = 1000

/** Room made at once: checking 10,000 connections takes 30 ms, so it must not be needed often. */
const ROOM_SHARE = 0.25

/**
 * The connections of a listener to close. Those of the network with the most connections come first, the longest idle
 * first. Proxies share one address among many callers, so theirs come last.
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
 * Last those that wait for an answer; then by the number of less idle connections of the network; then by idle time.
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
