import type { Platform } from '../../device/device.ts'
import type { AskPauses } from '../push/admin-client.ts'
import type { TailEvent } from './tail-event.ts'
import type { LivePush } from './tail-pushes.ts'

/** A push that stands still for so long may wait for something: the server is asked, and again after as long. */
const STILL_MS = 2000

interface Pause {
  readonly application: number
  readonly platform: Platform
  readonly reason: string
  readonly since: number
}

/**
 * What keeps pushes from going out. Only the running server knows, and it is asked about one push of each application
 * that stands still.
 */
export function createPauseTail({ ask }: { readonly ask: AskPauses }) {
  let paused: readonly Pause[] = []
  let askedAt = Number.NEGATIVE_INFINITY

  /** Something went through; where nothing is left to be sent, or was called off, nobody knows. */
  function* resumed(live: readonly LivePush[], events: readonly TailEvent[], now: number): Generator<TailEvent> {
    for (const pause of paused) {
      const { application, platform, since } = pause
      const mine = live.filter((push) => push.application === application)
      const parts = mine.flatMap(({ open }) => open).filter((part) => part.platform === platform)
      const finished = events.some(
        (event) => event.type === 'push.finished' && event.application === application && event.s > 0,
      )
      const goesOn = finished || parts.some(({ movedAt }) => movedAt > since)
      if (!goesOn && parts.length > 0) continue
      paused = paused.filter((one) => one !== pause)
      if (goesOn) yield { at: now, application, type: 'sending.resumed', platform }
    }
  }

  async function asked({ id, application, open }: LivePush, now: number): Promise<readonly TailEvent[]> {
    const pauses = await ask(id)
    const events: TailEvent[] = []
    for (const { platform } of open) {
      const reason = pauses?.get(platform) ?? null
      const known = paused.find((one) => one.application === application && one.platform === platform)
      if (reason === null || known?.reason === reason) continue
      paused = [...paused.filter((one) => one !== known), { application, platform, reason, since: now }]
      events.push({ at: now, application, type: 'sending.paused', platform, reason })
    }
    return events
  }

  return {
    /** `events`: what else has happened at this look. `now` in ms since the Unix epoch. */
    async look(pushes: Iterable<LivePush>, events: readonly TailEvent[], now: number): Promise<readonly TailEvent[]> {
      const live = [...pushes]
      const found = [...resumed(live, events, now)]
      if (now - askedAt < STILL_MS) return found
      const done = new Set<number>()
      for (const push of live) {
        const still = push.open.length > 0 && push.open.some(({ movedAt }) => now - movedAt >= STILL_MS)
        if (!still || done.has(push.application)) continue
        done.add(push.application)
        askedAt = now
        found.push(...(await asked(push, now)))
      }
      return found
    },
  }
}
