import { SECOND_MS } from '../../clock.ts'
import type { CredentialInUse } from '../credential.ts'
import type { Task } from '../open/delivery.ts'
import type { PausedService } from '../sender-stats.ts'
import { Lane } from './lane.ts'
import type { Notices } from './notices.ts'

/** Recipients that wait for room in memory, of one gateway and of all: what is beyond waits on disk. */
const MAX_WAITING_EACH = 256
const MAX_WAITING = 1024

/** Gateways that never took anything, with a request in flight at one time: strangers may name many. */
const MAX_UNPROVEN = 16

/** How many gateways are remembered. */
const MAX_LANES = 1000

/** How long recipients wait, in ms, for whom there was no room: each a millisecond longer than the one before. */
const NO_ROOM_MS = 5 * SECOND_MS

/** What may be done with a recipient now. `waits`: it is kept until its gateway has room. */
export type Admission =
  | { readonly kind: 'go'; readonly lane: Lane }
  | { readonly kind: 'waits' }
  | { readonly kind: 'later'; readonly dueAt: number; readonly reason: string }

interface Entry {
  readonly lane: Lane
  readonly go: Admission
  /** Recipients that wait for room. */
  readonly waiting: Task[]
  /** Recipients that were sent away since there was last room. */
  sentAway: number
}

interface Options {
  /** In [0, 1). */
  readonly random: () => number
  readonly credential: CredentialInUse
  readonly notices: Notices
  /** Whether devices name their gateways, of which each may be another: browsers do. */
  readonly isOpen: boolean
}

/**
 * The gateways that are reached with one credential, a lane each: of APNs two, of FCM one, of browsers many. Recipients
 * of one that has no room wait while others are sent to; where there are too many of them, or it is paused, they are due
 * again later. Times are service time.
 *
 * go → (answered) → room for another. No room → waits → (room) → go. Too many wait → (it takes what it gets) → nobody
 * else is taken until it has room; (it does not) → later. Paused → later.
 */
export class Lanes {
  readonly #options: Options
  readonly credential: CredentialInUse
  readonly notices: Notices
  readonly #entries = new Map<string, Entry>()
  /** The lanes of `#entries`. */
  #all: readonly Lane[] = []
  #waiting = 0

  constructor(options: Options) {
    this.#options = options
    this.credential = options.credential
    this.notices = options.notices
  }

  get all(): readonly Lane[] {
    return this.#all
  }

  /** Requests that wait for the answers of silent devices, and have no place in the windows. */
  get excused(): number {
    let excused = 0
    for (const { silent } of this.#all) excused += silent.excused
    return excused
  }

  /** Whether recipients from anywhere in an audience are wanted: see `Breaker`. */
  get wantsSamples(): boolean {
    for (const { breaker } of this.#all) if (breaker.wantsSamples) return true
    return false
  }

  /** How many more may be in flight, as far as the windows know; `now` is ms of service time. */
  room(now: number): number {
    // Nobody is known yet; or the next device may have a gateway of its own.
    let room = this.#options.isOpen || this.#all.length === 0 ? 1 : 0
    for (const lane of this.#all) room += Math.max(roomOf(lane, now), 0)
    return room
  }

  /** Takes a recipient that waited and has room now; `full`: none, and no other is to be taken either. */
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

  /** `task` is for a recipient of the gateway at `origin`. */
  admit(origin: string, task: Task, now: number): Admission {
    const entry = this.#entryOf(origin)
    const { lane, waiting } = entry
    if (this.#hasRoom(lane, now)) {
      entry.sentAway = 0
      return entry.go
    }
    if (lane.window.isPaused(now)) return sendAway(entry, lane.window.resumeAt)
    if (this.#isOver(waiting) && !lane.isWell(now)) return sendAway(entry, now + NO_ROOM_MS)
    waiting.push(task)
    this.#waiting++
    return WAITS
  }

  /** Takes out all that wait for room and `belong`. */
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

  /** Of all lanes together: of browsers what one push service asks for holds up nobody else. */
  get standing(): Lane['standing'] {
    const standings = this.#all.map((lane) => lane.standing)
    if (this.#all.some((lane, at) => lane.isProven && standings[at]?.state === 'ready')) return READY
    const refused = standings.find(({ state }) => state === 'misconfigured')
    const unreachable = this.#options.isOpen ? undefined : standings.find(({ state }) => state === 'unreachable')
    return refused ?? unreachable ?? READY
  }

  /** Gateways that nothing is sent to now, and why. */
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
    const lane = new Lane(origin, this.#options)
    const entry: Entry = { lane, go: { kind: 'go', lane }, waiting: [], sentAway: 0 }
    this.#entries.set(origin, entry)
    this.#forgetOne()
    this.#all = Array.from(this.#entries.values(), ({ lane }) => lane)
    return entry
  }

  /** The oldest with which nothing is under way. */
  #forgetOne(): void {
    if (this.#entries.size <= MAX_LANES) return
    for (const [origin, { lane, waiting }] of this.#entries) {
      if (lane.inFlight > 0 || waiting.length > 0) continue
      this.#entries.delete(origin)
      return
    }
  }
}

const READY = { state: 'ready', reason: null } as const
const WAITS: Admission = { kind: 'waits' }

const roomOf = ({ window, silent, inFlight }: Lane, now: number): number => window.size(now) - inFlight + silent.excused

function sendAway(entry: Entry, from: number): Admission {
  const reason = entry.lane.window.reason ?? 'the push service has no room'
  return { kind: 'later', dueAt: from + entry.sentAway++, reason }
}
