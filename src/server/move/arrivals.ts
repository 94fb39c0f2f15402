import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createApplicationStore } from '../../application/application-store.ts'
import { hashSecret } from '../../application/secret.ts'
import { every, MINUTE_MS } from '../../clock.ts'
import { NEWEST_SCHEMA } from '../../database/migration/migrations.ts'
import { failure, noRoom } from '../../failure.ts'
import type { Failure } from '../../failure.ts'
import { createHookStore } from '../../hook/hook-store.ts'
import { logError } from '../../log.ts'
import { shortageOf } from '../../monitoring/readiness.ts'
import type { Disk } from '../../monitoring/storage.ts'
import type { MoveOffer, MoveRequest, MoveStep, OrRefusal } from '../../move/move-messages.ts'
import { movedAway, whereText } from '../../move/move-store.ts'
import type { Move, MoveStore } from '../../move/move-store.ts'
import { MOVED } from '../../move/moved-tables.ts'
import { createRowMapping } from '../../move/row-mapping.ts'
import type { Mapping } from '../../move/row-mapping.ts'
import { columnsOf, createArrivalRows } from '../../move/rows-store.ts'
import { createTransportKeyPair } from '../../move/transport-key.ts'
import { open, seal } from '../../sealing/seal.ts'
import type { SealedFor } from '../../sealing/seal.ts'
import { VERSION } from '../../version.ts'
import type { Service } from '../service.ts'

/** A copy that stands still for longer is dropped: the other server has gone, or given up. */
const STILL_MS = 3 * MINUTE_MS

/** Bytes of the file and its WAL for each byte of the estimate. */
const ROOM = 2

interface Dependencies extends Pick<Service, 'clock' | 'time' | 'log' | 'database' | 'directory' | 'key'> {
  readonly commit: Service['commit']
  readonly moves: MoveStore
  readonly eraseApplication: (application: number, id: string) => Promise<void>
  readonly publicUrl: () => string
  readonly disk: () => Disk | null
  readonly hasRoom: () => boolean
}

/** `application.number` of a copy that has not begun. */
const NOT_YET = 0

interface Arrival {
  readonly openKey: (jwe: string) => Promise<Uint8Array | null>
  /** `null`: it has not begun. */
  copying: Mapping | null
  readonly insert: Map<string, (rows: Rows) => void>
  readonly counts: Record<string, number>
  movedAt: number
}

type Step<Name extends MoveStep['step']> = Extract<MoveStep, { step: Name }>
type Rows = Step<'rows'>['rows']

/** The receiving side of a move: see departures.ts. */
export function createArrivals(deps: Dependencies) {
  const { clock, time, log, database, directory, commit, moves, eraseApplication } = deps
  const rows = createArrivalRows(database)
  const hooks = createHookStore(deps)
  const applications = createApplicationStore({ database, clock })
  const arrivals = new Map<string, Arrival>()

  const conflict = (message: string) => ({ why: failure('ConflictError', message) })

  /** `null`: it can come. */
  function hindrance({
    schema,
    version,
    id,
    name,
    hooks: names,
    bytes,
  }: MoveRequest): { readonly why: Failure } | null {
    if (schema !== NEWEST_SCHEMA) {
      return conflict(
        `This server is Bellhop ${VERSION} with schema ${NEWEST_SCHEMA}, the other is ${version} with schema ${schema}: bring both to the same version first.`,
      )
    }
    const move = moves.find(id)
    if (directory.byId(id) !== null || move?.phase === 'frozen')
      return conflict(`The application ${id} is already on this server.`)
    if (move?.phase === 'left') return conflict(`"${name}" ${whereText(move)}.`)
    const other =
      applications.find(name) ??
      movedAway(
        moves.list().filter((one) => one.id !== id),
        name,
      )
    if (other !== null && other.id !== id && !('phase' in other && other.phase === 'gone')) {
      return conflict(`Another application of this server is named "${name}".`)
    }
    const taken = names.find((hook) => hooks.find(hook) !== null && hooks.find(hook)?.application !== move?.application)
    if (taken !== undefined) return conflict(`Another application of this server has a hook named "${taken}".`)
    const disk = deps.disk()
    const isTight = disk !== null && shortageOf({ ...disk, freeBytes: disk.freeBytes - ROOM * bytes }).length > 0
    return isTight || !deps.hasRoom() ? { why: noRoom() } : null
  }

  /** Erases a copy; calls go where they went before. */
  async function drop({ id, application, phase, url }: Move): Promise<void> {
    arrivals.delete(id)
    // From here on it can't be completed.
    if (phase === 'arrived') await commit(() => moves.setPhase(id, 'arriving'))
    await eraseApplication(application, id)
    await commit(() => {
      if (url === null) moves.remove(id)
      else moves.setPhase(id, 'gone')
    })
    directory.reload()
  }

  async function offerNow(request: MoveRequest): Promise<OrRefusal<MoveOffer>> {
    const before = moves.find(request.id)
    const found = hindrance(request)
    if (found !== null) return found
    if (before?.phase === 'arriving' || before?.phase === 'arrived') await drop(before)
    if (before?.phase === 'gone') await eraseApplication(before.application, before.id)
    const pair = await createTransportKeyPair()
    const secret = `bhm_${randomBytes(32).toString('base64url')}`
    const { id, name, hooks: names } = request
    const digest = hashSecret(secret)
    await commit(() => {
      // Its calls still go there until it has arrived.
      const { url = null, adminUrl = null } = moves.find(id) ?? {}
      moves.put({ id, name, application: NOT_YET, phase: 'arriving', adminUrl, url, digest, hooks: names })
    })
    arrivals.set(id, {
      openKey: (jwe) => pair.open(jwe),
      insert: new Map(),
      counts: {},
      movedAt: clock.monotonic(),
      copying: null,
    })
    directory.reload()
    log.info('an application arrives', { application: id })
    return { secret, publicKey: pair.publicKey, url: deps.publicUrl() }
  }

  /** `null`: none. */
  function moveOf(secret: string): Move | null {
    const digest = hashSecret(secret)
    return moves.list().find((move) => move.digest !== null && timingSafeEqual(move.digest, digest)) ?? null
  }

  async function take(move: Move, step: MoveStep): Promise<OrRefusal<object>> {
    const { id, phase } = move
    if (step.step === 'activate') {
      if (phase === 'arriving') return conflict('The application has not come whole.')
      if (phase === 'arrived') {
        await commit(() => moves.put({ ...move, phase: 'here', url: null, secret: null }))
        directory.reload()
        log.info('an application has arrived', { application: id })
      }
      return {}
    }
    if (phase !== 'arriving' && phase !== 'arrived') return conflict('The application is served here.')
    if (step.step === 'drop') {
      await drop(move)
      return {}
    }
    const arrival = arrivals.get(id)
    if (arrival === undefined || phase === 'arrived') return conflict('The copy was dropped: begin anew.')
    arrival.movedAt = clock.monotonic()
    if (step.step === 'begin') return begin(move, arrival, step)
    return step.step === 'rows' ? insert(move, arrival, step) : complete(move, arrival, step.rows)
  }

  async function begin(move: Move, arrival: Arrival, { jwe, highest, wallAheadMs }: Step<'begin'>) {
    const transportKey = await arrival.openKey(jwe)
    if (transportKey === null || arrival.copying !== null) return conflict('The key is for another move.')
    const reserved = await commit(() => {
      const found = rows.reserve(highest)
      if (found !== null) moves.put({ ...move, application: found.application })
      return found
    })
    if (reserved === null) return conflict('This server has no numbers left for its devices.')
    const aheadMs = wallAheadMs - (time.wallAt(time.now()) - time.now())
    const reseal: Mapping['reseal'] = (sealed, [application, provider]) => {
      const sealedFor = { application, provider } as SealedFor
      const text = open(transportKey, sealedFor, sealed)
      if (text === null) throw new RangeError(`the ${provider} of ${application} does not open`)
      return seal(deps.key, sealedFor, text)
    }
    arrival.copying = { ...reserved, highest, aheadMs, reseal }
    return {}
  }

  async function insert({ id }: Move, arrival: Arrival, { table, columns, rows: cells }: Step<'rows'>) {
    if (!deps.hasRoom()) return { why: noRoom() }
    let into = arrival.insert.get(table)
    if (into === undefined) {
      const moved = MOVED.find(({ name }) => name === table)
      const { copying } = arrival
      if (moved === undefined || copying === null || columnsOf(database, moved).join() !== columns.join()) {
        return conflict(`This server has another table ${table}.`)
      }
      const put = rows.inserter(moved, columns)
      const map = createRowMapping(moved, columns, id, copying)
      into = (some) => put(some.map(map))
      arrival.insert.set(table, into)
    }
    const put = into
    try {
      await commit(() => put(cells))
    } catch (error) {
      if (error instanceof RangeError) return conflict(`${error.message}.`)
      throw error
    }
    arrival.counts[table] = (arrival.counts[table] ?? 0) + cells.length
    return {}
  }

  async function complete({ id }: Move, arrival: Arrival, sent: Readonly<Record<string, number>>) {
    const wrong = MOVED.find(({ name }) => (arrival.counts[name] ?? 0) !== (sent[name] ?? 0))
    if (wrong !== undefined)
      return conflict(`${wrong.name} came with ${arrival.counts[wrong.name] ?? 0} rows of ${sent[wrong.name] ?? 0}.`)
    await commit(() => moves.setPhase(id, 'arrived'))
    arrivals.delete(id)
    directory.reload()
    return {}
  }

  function dropStill(): void {
    for (const [id, { movedAt }] of arrivals) {
      if (clock.monotonic() - movedAt < STILL_MS) continue
      const move = moves.find(id)
      log.warn('an application does not come any more: its copy is dropped', { application: id })
      if (move !== null) drop(move).catch(logError(log))
    }
  }

  for (const move of moves.list()) if (move.phase === 'arriving') drop(move).catch(logError(log))
  let offering: Promise<unknown> = Promise.resolve()
  return {
    /** Erases what is left of an earlier copy first. */
    offer(request: MoveRequest): Promise<OrRefusal<MoveOffer>> {
      const offered = offering.then(() => offerNow(request))
      offering = offered.catch(() => null)
      return offered
    },

    moveOf,
    take,
    stop: every(clock, MINUTE_MS, dropStill),
  }
}
