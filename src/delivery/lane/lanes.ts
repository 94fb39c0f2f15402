import { SECOND_MS } from '../../clock.ts'
import { DEADLINE } from '../../gateway/transport/transport.ts'
import type { Task } from '../open/delivery.ts'
import type { SenderStats } from '../sender-stats.ts'
import type { Trouble } from '../verdict.ts'
import type { Wait } from '../wait.ts'
import { Lane } from './lane.ts'
import type { LaneContext } from './lane.ts'

/** Recipients that wait for room in memory, for one lane and for all. */
const MAX_WAITING_EACH = 256
const MAX_WAITING = 1024

/** Unproven lanes with requests in flight: strangers may name many gateways. */
const MAX_UNPROVEN = 16

const MAX_LANES = 1000

/** On disk: each a millisecond longer than the last. */
const NO_ROOM_MS = 5 * SECOND_MS

interface Entry {
  readonly lane: Lane
  readonly waiting: Task[]
  sentAway: number
}

export type Lanes = ReturnType<typeof createLanes>

/**
 * The lanes of one credential: two of APNs, one of FCM, many of browsers.
 *
 * room → sent. No room → waits in memory → (room) → sent. Too many wait → (the gateway is well) → nobody else is taken
 * until there is room; (it is not) → waits on disk. Paused, or the device is silent → waits on disk.
 */
export function createLanes(context: LaneContext) {
  const isOneOfMany = context.provider?.isOpen === true
  const entries = new Map<string, Entry>()
  let all: readonly Lane[] = []
  let waitingCount = 0

  function hasRoom(lane: Lane, now: number): boolean {
    if (roomOf(lane, now) <= 0) return false
    if (lane.isProven) return true
    let unproven = 0
    for (const { isProven, inFlight } of all) if (!isProven && inFlight > 0) unproven++
    return unproven < MAX_UNPROVEN
  }

  const isOver = (waiting: readonly Task[]): boolean =>
    waiting.length >= MAX_WAITING_EACH || waitingCount >= MAX_WAITING

  function entryOf(origin: string): Entry {
    const known = entries.get(origin)
    if (known !== undefined) return known
    const entry: Entry = { lane: new Lane(origin, context), waiting: [], sentAway: 0 }
    entries.set(origin, entry)
    if (entries.size > MAX_LANES) forgetOldest()
    all = Array.from(entries.values(), ({ lane }) => lane)
    return entry
  }

  function forgetOldest(): void {
    for (const [origin, { lane, waiting }] of entries) {
      if (lane.inFlight > 0 || waiting.length > 0) continue
      entries.delete(origin)
      return
    }
  }

  return {
    ...context,

    get all(): readonly Lane[] {
      return all
    },

    /** Requests that wait for silent devices, which take no place in the windows. */
    get excused(): number {
      let excused = 0
      for (const { silent } of all) excused += silent.excused
      return excused
    },

    get wantsSamples(): boolean {
      for (const { breaker } of all) if (breaker.wantsSamples) return true
      return false
    },

    room(now: number): number {
      // The next device may have a gateway of its own.
      let room = isOneOfMany || all.length === 0 ? 1 : 0
      for (const lane of all) room += Math.max(roomOf(lane, now), 0)
      return room
    },

    /** A recipient that waited and has room now. `full`: nobody else is to be taken. */
    next(now: number): Task | 'full' | null {
      if (waitingCount === 0) return null
      let isFull = false
      for (const { lane, waiting } of entries.values()) {
        const [task] = waiting
        if (task === undefined) continue
        if (hasRoom(lane, now)) {
          waitingCount--
          waiting.shift()
          return task
        }
        isFull ||= isOver(waiting) && lane.isWell(now)
      }
      return isFull ? 'full' : null
    },

    /** The lane by which to send now to the gateway at `origin`, or what the recipient waits for. */
    admit(origin: string, task: Task, now: number): Lane | Wait {
      const entry = entryOf(origin)
      const { lane, waiting } = entry
      if (hasRoom(lane, now)) {
        entry.sentAway = 0
        const until = lane.silent.waitsUntil(task.recipient.device, now)
        return until === null ? lane : { for: 'device', until, says: DEADLINE }
      }
      const { trouble, resumeAt } = lane.window
      const isPaused = now < resumeAt
      if (isPaused || (isOver(waiting) && !lane.isWell(now))) {
        const until = (isPaused ? resumeAt : now + NO_ROOM_MS) + entry.sentAway++
        return { for: trouble?.state ?? 'room', until, says: trouble?.answer ?? trouble?.reason ?? NO_ROOM.says }
      }
      waiting.push(task)
      waitingCount++
      return NO_ROOM
    },

    release(belongs: (task: Task, lane: Lane) => boolean): Task[] {
      if (waitingCount === 0) return []
      const taken: Task[] = []
      for (const { lane, waiting } of entries.values()) {
        const { theirs = [], others = [] } = Object.groupBy(waiting, (task) =>
          belongs(task, lane) ? 'theirs' : 'others',
        )
        if (theirs.length > 0) waiting.splice(0, waiting.length, ...others)
        taken.push(...theirs)
      }
      waitingCount -= taken.length
      return taken
    },

    /** Of all lanes together: a pause of one push service holds up no other. */
    get trouble(): Trouble | null {
      if (all.some(({ isProven, trouble }) => isProven && trouble === null)) return null
      const troubles = all.flatMap(({ trouble }) => trouble ?? [])
      const refused = troubles.find(({ state }) => state === 'misconfigured')
      return refused ?? (isOneOfMany ? null : (troubles[0] ?? null))
    },

    paused(now: number): SenderStats['pausedServices'] {
      const paused = all.filter(({ window }) => window.isPaused(now))
      return paused.map(({ origin, window }) => ({
        service: origin,
        reason: window.trouble?.reason ?? 'it asked to wait',
      }))
    },
  }
}

const NO_ROOM: Wait = { for: 'room', until: null, says: 'the push service has no room' }

const roomOf = ({ window, silent, inFlight }: Lane, now: number): number => window.size(now) - inFlight + silent.excused
