import { SECOND_MS } from '../../clock.ts'
import type { Provider } from '../../gateway/gateway.ts'
import { DEADLINE } from '../../gateway/transport/transport.ts'
import type { CredentialInUse } from '../credential.ts'
import type { Task } from '../open/delivery.ts'
import type { PausedService } from '../sender-stats.ts'
import type { Wait } from '../wait.ts'
import { Lane } from './lane.ts'
import type { LaneContext } from './lane.ts'
import type { Notices } from './notices.ts'

/** Recipients that wait for room in memory, for one lane and for all; others wait on disk. */
const MAX_WAITING_EACH = 256
const MAX_WAITING = 1024

/** Lanes that never accepted anything, with a request in flight at one time: strangers may name many gateways. */
const MAX_UNPROVEN = 16

const MAX_LANES = 1000

/** How long recipients wait on disk for room, in ms: each a millisecond longer than the one before. */
const NO_ROOM_MS = 5 * SECOND_MS

interface Entry {
  readonly lane: Lane
  /** Recipients that wait for room, in memory. */
  readonly waiting: Task[]
  /** Recipients sent to wait on disk since there was last room. */
  sentAway: number
}

interface Dependencies extends Pick<LaneContext, 'random' | 'credential' | 'notices'> {
  /** `null`: nothing can be sent. */
  readonly provider: Provider | null
}

/**
 * The lanes of one credential: two of APNs, one of FCM, many of browsers. Where a lane has no room, its recipients wait
 * while others are sent to. Times are service time.
 *
 * room → sent. No room → waits in memory → (room) → sent. Too many wait → (its gateway accepts what it gets) → nobody
 * else is taken until there is room; (it does not) → waits on disk. Paused, or the device is silent → waits on disk.
 */
export class Lanes {
  readonly provider: Provider | null
  readonly credential: CredentialInUse
  readonly notices: Notices
  readonly #deps: LaneContext
  readonly #entries = new Map<string, Entry>()
  /** The lanes of `#entries`. */
  #all: readonly Lane[] = []
  #waiting = 0

  constructor({ provider, ...deps }: Dependencies) {
    this.provider = provider
    this.credential = deps.credential
    this.notices = deps.notices
    this.#deps = { ...deps, retry: provider?.retry ?? NO_RETRY, isOneOfMany: provider?.isOpen === true }
  }

  get all(): readonly Lane[] {
    return this.#all
  }

  /** Requests that wait for silent devices, which take no place in the windows. */
  get excused(): number {
    let excused = 0
    for (const { silent } of this.#all) excused += silent.excused
    return excused
  }

  /** See `Breaker`. */
  get wantsSamples(): boolean {
    for (const { breaker } of this.#all) if (breaker.wantsSamples) return true
    return false
  }

  /** How many more may be in flight, as far as the windows know. */
  room(now: number): number {
    // The next device may have a gateway of its own.
    let room = this.#deps.isOneOfMany || this.#all.length === 0 ? 1 : 0
    for (const lane of this.#all) room += Math.max(roomOf(lane, now), 0)
    return room
  }

  /** Takes a recipient that waited and has room now; `full`: there is none, and nobody else is to be taken. */
  next(now: number): Task | 'full' | null {
    if (this.#waiting === 0) return null
    let isFull = false
    for (const { lane, waiting } of this.#entries.values()) {
      const [task] = waiting
      if (task === undefined) continue
      if (this.#hasRoom(lane, now)) {
        this.#waiting--
        waiting.shift()
        return task
      }
      isFull ||= this.#isOver(waiting) && lane.isWell(now)
    }
    return isFull ? 'full' : null
  }

  /** The lane by which to send to the recipient now, whose gateway is at `origin`; or what it waits for. */
  admit(origin: string, task: Task, now: number): Lane | Wait {
    const entry = this.#entryOf(origin)
    const { lane, waiting } = entry
    if (this.#hasRoom(lane, now)) {
      entry.sentAway = 0
      const until = lane.silent.waitsUntil(task.recipient.device, now)
      return until === null ? lane : { for: 'device', until, says: DEADLINE }
    }
    const { state, reason, resumeAt } = lane.window
    const isPaused = now < resumeAt
    if (isPaused || (this.#isOver(waiting) && !lane.isWell(now))) {
      const until = (isPaused ? resumeAt : now + NO_ROOM_MS) + entry.sentAway++
      return { for: state === 'ready' ? 'room' : state, until, says: reason ?? NO_ROOM.says }
    }
    waiting.push(task)
    this.#waiting++
    return NO_ROOM
  }

  /** Takes out those waiting in memory that `belong`. */
  release(belongs: (task: Task, lane: Lane) => boolean): Task[] {
    if (this.#waiting === 0) return []
    const taken: Task[] = []
    for (const { lane, waiting } of this.#entries.values()) {
      const theirs = waiting.filter((task) => belongs(task, lane))
      if (theirs.length === 0) continue
      const others = waiting.filter((task) => !theirs.includes(task))
      waiting.splice(0, waiting.length, ...others)
      taken.push(...theirs)
    }
    this.#waiting -= taken.length
    return taken
  }

  /** Of all lanes together: a pause of one push service holds up no other. */
  get standing(): Lane['standing'] {
    const standings = this.#all.map((lane) => lane.standing)
    if (this.#all.some((lane, at) => lane.isProven && standings[at]?.state === 'ready')) return READY
    const refused = standings.find(({ state }) => state === 'misconfigured')
    const unreachable = this.#deps.isOneOfMany ? undefined : standings.find(({ state }) => state === 'unreachable')
    return refused ?? unreachable ?? READY
  }

  paused(now: number): readonly PausedService[] {
    const paused = this.#all.filter(({ window }) => window.isPaused(now))
    return paused.map(({ origin, window }) => ({ service: origin, reason: window.reason ?? 'it asked to wait' }))
  }

  #hasRoom(lane: Lane, now: number): boolean {
    if (roomOf(lane, now) <= 0) return false
    if (lane.isProven) return true
    let unproven = 0
    for (const { isProven, inFlight } of this.#all) if (!isProven && inFlight > 0) unproven++
    return unproven < MAX_UNPROVEN
  }

  #isOver(waiting: readonly Task[]): boolean {
    return waiting.length >= MAX_WAITING_EACH || this.#waiting >= MAX_WAITING
  }

  #entryOf(origin: string): Entry {
    const known = this.#entries.get(origin)
    if (known !== undefined) return known
    const entry: Entry = { lane: new Lane(origin, this.#deps), waiting: [], sentAway: 0 }
    this.#entries.set(origin, entry)
    if (this.#entries.size > MAX_LANES) this.#forgetOldest()
    this.#all = Array.from(this.#entries.values(), ({ lane }) => lane)
    return entry
  }

  #forgetOldest(): void {
    for (const [origin, { lane, waiting }] of this.#entries) {
      if (lane.inFlight > 0 || waiting.length > 0) continue
      this.#entries.delete(origin)
      return
    }
  }
}

const READY = { state: 'ready', reason: null } as const
const NO_ROOM: Wait = { for: 'room', until: null, says: 'the push service has no room' }
const NO_RETRY = { firstMs: 0, longestMs: 0 }

const roomOf = ({ window, silent, inFlight }: Lane, now: number): number => window.size(now) - inFlight + silent.excused
