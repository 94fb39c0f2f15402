import { MINUTE_MS, SECOND_MS } from '../../clock.ts'
import type { Outcome } from '../../gateway/gateway.ts'
import type { Log } from '../../log.ts'
import { CongestionWindow } from './congestion-window.ts'

/** Recipients that are set aside, of one gateway and of all: what is beyond goes back to the database. */
const MAX_ASIDE_EACH = 256
const MAX_ASIDE = 1024

/** Gateways that never took anything, with a request in flight at one time: strangers may name many. */
const MAX_UNPROVEN = 16

/** Gateways remembered at the most. */
const MAX_LANES = 1000

/** A gateway that took something so lately, in ms, and showed no strain for so long, is waited for. */
const LATELY_MS = SECOND_MS
const WITHOUT_STRAIN_MS = MINUTE_MS

/** How long recipients wait, in ms, for whom there was no room: each a millisecond longer than the one before. */
const NO_ROOM_MS = 5 * SECOND_MS

/** What may be done with a recipient now. `aside`: kept until its gateway has room. `full`: likewise, and no other is to be taken. */
export type Admission =
  | { readonly kind: 'go' | 'aside' | 'full' }
  | { readonly kind: 'later'; readonly dueAt: number; readonly reason: string }

/** One of several gateways of a credential that nothing is sent to for a while. */
export interface PausedService {
  /** Its origin. */
  readonly service: string
  readonly reason: string
}

/** What followed from an answer: as far as it concerns the credential, and who waited for a gateway that is paused now. */
export interface ServiceAnswer<Waiting> {
  readonly outcome: Outcome
  readonly turnedAway: readonly (Waiting & { readonly dueAt: number })[]
}

interface Lane<Task> {
  readonly service: string
  readonly window: CongestionWindow
  readonly aside: Task[]
  inFlight: number
  isProven: boolean
  /** Recipients sent away since there was last room. */
  sentAway: number
  takenAt: number
  strainedAt: number
}

interface Options {
  readonly log: Pick<Log, 'warn' | 'info'>
  readonly name: object
  /** In [0, 1). */
  readonly random: () => number
}

/**
 * The gateways that one credential is for, where there are several: each has a window and a pause of its own. Recipients
 * of one that is full are set aside while others are sent to; where there are too many of them, or it is paused, they
 * are due again later. Times are service time.
 *
 * go → (answered) → room for another. Full → aside → (room) → go. Full, and too many aside → (it takes what it gets) →
 * nobody else is taken until it has room; (it does not) → later. Paused → later.
 */
export class ServiceLanes<Task extends object> {
  readonly #options: Options
  readonly #lanes = new Map<string, Lane<Task>>()
  #aside = 0
  #unproven = 0

  constructor(options: Options) {
    this.#options = options
  }

  /** Gateways that nothing is sent to now, and why. */
  paused(now: number): readonly PausedService[] {
    const lanes = [...this.#lanes.values()].filter(({ window }) => window.isPaused(now))
    return lanes.map(({ service, window }) => ({ service, reason: window.reason ?? 'it asked to wait' }))
  }

  /** Recipients that are set aside. */
  get aside(): number {
    return this.#aside
  }

  /** Whether nobody else is to be taken: a gateway that is well has more set aside than it may. */
  isFull(now: number): boolean {
    if (this.#aside <= MAX_ASIDE_EACH) return false
    for (const lane of this.#lanes.values()) {
      if (lane.aside.length > 0 && this.#isOver(lane) && isWell(lane, now)) return true
    }
    return false
  }

  /** Takes one that was set aside and has room now. */
  next(now: number): Task | null {
    if (this.#aside === 0) return null
    for (const lane of this.#lanes.values()) {
      if (lane.aside.length === 0 || !this.#hasRoom(lane, now)) continue
      this.#aside--
      return lane.aside.shift() ?? null
    }
    return null
  }

  /** `task` is for a recipient of `service`. */
  admit(service: string, task: Task, now: number): Admission {
    const lane = this.#laneOf(service)
    if (lane.window.isPaused(now)) return { ...this.#sendAway(lane, lane.window.resumeAt), kind: 'later' }
    if (this.#hasRoom(lane, now)) return GO
    const isOver = this.#isOver(lane)
    if (isOver && !isWell(lane, now)) return { ...this.#sendAway(lane, now + NO_ROOM_MS), kind: 'later' }
    lane.aside.push(task)
    this.#aside++
    return isOver ? FULL : ASIDE
  }

  sent(service: string): void {
    const lane = this.#laneOf(service)
    lane.inFlight++
    if (!lane.isProven) this.#unproven++
  }

  /** A request is over that came to nothing. */
  withdrawn(service: string): void {
    this.#over(this.#laneOf(service))
  }

  answered(service: string, outcome: Outcome, latencyMs: number, now: number): ServiceAnswer<{ readonly task: Task }> {
    const lane = this.#laneOf(service)
    this.#over(lane)
    if (outcome.kind === 'accepted' || outcome.kind === 'unregistered') this.#succeeded(lane, latencyMs, now)
    if (outcome.kind !== 'deferred') return { outcome, turnedAway: [] }
    if (outcome.strain === true) {
      lane.window.strained()
      lane.strainedAt = now
    }
    const turnedAway = outcome.scope === 'service' ? this.#pause(lane, outcome, now) : []
    const { kind, afterMs, scope, reason } = outcome
    return { outcome: { kind, afterMs, scope, reason }, turnedAway }
  }

  /** Takes all that are set aside and `belong`. */
  takeAside(belongs: (task: Task) => boolean): Task[] {
    if (this.#aside === 0) return []
    const taken: Task[] = []
    for (const lane of this.#lanes.values()) {
      const [theirs, others] = [lane.aside.filter(belongs), lane.aside.filter((task) => !belongs(task))]
      lane.aside.splice(0, lane.aside.length, ...others)
      taken.push(...theirs)
    }
    this.#aside -= taken.length
    return taken
  }

  #succeeded(lane: Lane<Task>, latencyMs: number, now: number): void {
    lane.isProven = true
    lane.takenAt = now
    lane.sentAway = 0
    if (!lane.window.succeeded(latencyMs, now)) return
    this.#options.log.info('sending to a push service again', { ...this.#options.name, service: lane.service })
  }

  #pause(lane: Lane<Task>, { afterMs, reason }: Outcome & { kind: 'deferred' }, now: number) {
    const { log, name, random } = this.#options
    const wasReady = lane.window.state === 'ready'
    const waitMs = lane.window.pause({ misconfigured: false, askedMs: afterMs, reason }, now, random())
    if (waitMs === null) return []
    if (wasReady) log.warn('sending to a push service paused', { ...name, service: lane.service, reason, waitMs })
    const turnedAway = lane.aside.splice(0)
    this.#aside -= turnedAway.length
    return turnedAway.map((task) => ({ task, dueAt: this.#sendAway(lane, lane.window.resumeAt).dueAt }))
  }

  #sendAway(lane: Lane<Task>, from: number): { readonly dueAt: number; readonly reason: string } {
    return { dueAt: from + lane.sentAway++, reason: lane.window.reason ?? 'the push service has no room' }
  }

  #over(lane: Lane<Task>): void {
    lane.inFlight--
    if (!lane.isProven) this.#unproven--
  }

  #hasRoom(lane: Lane<Task>, now: number): boolean {
    if (lane.inFlight >= lane.window.size(now)) return false
    return lane.isProven || this.#unproven < MAX_UNPROVEN
  }

  #isOver(lane: Lane<Task>): boolean {
    return lane.aside.length >= MAX_ASIDE_EACH || this.#aside >= MAX_ASIDE
  }

  #laneOf(service: string): Lane<Task> {
    const known = this.#lanes.get(service)
    if (known !== undefined) return known
    const never = Number.NEGATIVE_INFINITY
    const lane: Lane<Task> = {
      service,
      window: new CongestionWindow(),
      aside: [],
      inFlight: 0,
      isProven: false,
      sentAway: 0,
      takenAt: never,
      strainedAt: never,
    }
    this.#lanes.set(service, lane)
    this.#forgetOne()
    return lane
  }

  /** The oldest with which nothing is under way. */
  #forgetOne(): void {
    if (this.#lanes.size <= MAX_LANES) return
    for (const [service, { inFlight, aside }] of this.#lanes) {
      if (inFlight > 0 || aside.length > 0) continue
      this.#lanes.delete(service)
      return
    }
  }
}

const GO: Admission = { kind: 'go' }
const ASIDE: Admission = { kind: 'aside' }
const FULL: Admission = { kind: 'full' }

function isWell(
  lane: { readonly window: CongestionWindow; takenAt: number; strainedAt: number },
  now: number,
): boolean {
  return lane.window.state === 'ready' && now - lane.takenAt < LATELY_MS && now - lane.strainedAt > WITHOUT_STRAIN_MS
}
