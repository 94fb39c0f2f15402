import { MINUTE_MS, SECOND_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { connectionLimits, connectionsToEnd, OWN_FILES } from '../../http/connection-share.ts'
import type { ListenerName } from '../../http/connection-share.ts'
import type { Log } from '../../log.ts'
import { networkOf } from '../../network/address.ts'
import type { EarlyEnds } from '../../monitoring/readiness.ts'
import type { OpenConnection, SocketTable } from '../../system/socket-table.ts'

/** Between two counts of open files. The smaller the margin, the more often: 50 connections a millisecond may come. */
const MIN_LOOK_MS = 10
const MAX_LOOK_MS = 100
const ARRIVALS_PER_MS = 50

const RECOUNT_MS = 5 * SECOND_MS
const RECOUNT_OVER_MS = SECOND_MS / 4

interface Dependencies {
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly table: SocketTable
  readonly maxFiles: number
  readonly ports: Readonly<Record<ListenerName, number>>
  readonly isProxy: (address: string) => boolean
  readonly onEnded: (connections: number) => void
}

/**
 * Keeps callers' connections below the limit of open files: without files the service can't reach gateways, and Bun
 * ends it (1.4.5). Bun.serve accepts everybody and doesn't report silent connections, so this reads the socket table.
 */
export function keepConnections(deps: Dependencies) {
  const { clock, log, table, ports, isProxy, onEnded } = deps
  const limits = connectionLimits(deps.maxFiles)
  const keptBack = deps.maxFiles - OWN_FILES - limits.api.atAll
  const lookMs = Math.min(Math.max(keptBack / ARRIVALS_PER_MS, MIN_LOOK_MS), MAX_LOOK_MS)
  // Both may have the same port, on two addresses.
  const nameOf = new Map<number, ListenerName>([
    [ports.admin, 'admin'],
    [ports.api, 'api'],
  ])
  const known = new Set(nameOf.keys())
  /** At the last full count: open files, its time, and how many more may come before the next. */
  let counted = { files: 0, at: Number.NEGATIVE_INFINITY, room: 0, over: false }
  let ends: EarlyEnds | null = null
  let saidAt = Number.NEGATIVE_INFINITY

  function look(): void {
    const more = table.openFiles() - counted.files
    const age = clock.monotonic() - counted.at
    if (more >= counted.room || age >= (counted.over ? RECOUNT_OVER_MS : RECOUNT_MS)) recount()
    sayTheEnd()
    cancel = clock.after(counted.over || more > counted.room / 2 ? MIN_LOOK_MS : lookMs, look)
  }

  function recount(): void {
    let files = table.openFiles()
    const byListener = Map.groupBy(table.connectionsTo(known), ({ port }) => nameOf.get(port))
    const rooms = (['api', 'admin'] as const).map((name) => {
      const limit = limits[name]
      const connections = byListener.get(name) ?? []
      const ending = connectionsToEnd(connections, limit, isProxy)
      for (const connection of ending) table.end(connection)
      if (ending.length > 0) noteEnds(name, ending)
      files -= ending.length
      return limit.atRest - connections.length + ending.length
    })
    const room = Math.min(...rooms)
    counted = { files, at: clock.monotonic(), room: Math.max(room, 1), over: room <= 0 }
  }

  function noteEnds(name: ListenerName, ending: readonly OpenConnection[]): void {
    onEnded(ending.length)
    const now = clock.now()
    const since = ends?.since ?? now
    ends = {
      since,
      last: now,
      count: (ends?.count ?? 0) + ending.length,
      most: largest(ending),
      limit: limits[name].atAll,
    }
    if (Math.abs(now - saidAt) < MINUTE_MS) return
    saidAt = now
    const { count, most, limit } = ends
    log.warn('too many connections: closing idle ones', { listener: name, limit, ended: count, most })
  }

  function sayTheEnd(): void {
    if (ends === null || Math.abs(clock.now() - ends.last) < MINUTE_MS) return
    log.info('connections are accepted again', { ended: ends.count })
    ends = null
  }

  let cancel = clock.after(lookMs, look)
  return {
    /** In the last minute; `null`: none. */
    earlyEnds: (): EarlyEnds | null => ends,
    [Symbol.dispose]: () => cancel(),
  }
}

function largest(connections: readonly OpenConnection[]): string {
  const networks = [...Map.groupBy(connections, ({ address }) => networkOf(address))]
  return networks.reduce((most, each) => (each[1].length > most[1].length ? each : most))[0]
}
