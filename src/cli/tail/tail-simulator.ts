import type { Platform } from '../../device/device.ts'
import { tokenPart } from '../../text/format.ts'
import type { AskSimulator } from '../push/admin-client.ts'
import { MAX_AT_ONCE } from './tail-event.ts'
import type { TailEvent } from './tail-event.ts'

/** A server that does not answer is asked again after so long. */
const AGAIN_MS = 2000

/** Behind every arrival. */
const LATEST = 1e15 - 1

interface Dependencies {
  readonly ask: AskSimulator
  /** Watched applications that send to the simulator now: id → `application.number`. */
  readonly simulated: () => ReadonlyMap<string, number>
}

/**
 * What arrives at the simulator, which lives in the running server: that is asked while an application sends to the
 * simulator.
 */
export function createSimulatorTail({ ask, simulated }: Dependencies) {
  /** The number of the last arrival that was seen; `null`: nobody has answered yet. */
  let last: number | null = null
  let notBefore = Number.NEGATIVE_INFINITY

  return {
    /** What has happened since the last look; `now` in ms since the Unix epoch. The first look only begins. */
    async look(now: number): Promise<readonly TailEvent[]> {
      const numbers = simulated()
      if (numbers.size === 0 || now < notBefore) return []
      const answer = await ask(last ?? LATEST)
      if (answer === undefined) {
        notBefore = now + AGAIN_MS
        return []
      }
      const before = last
      last = answer.last
      // The first look, or another server: what it has had so far has been, or is nobody's news.
      if (before === null || answer.last < before) return []
      const events = answer.received.flatMap((one): TailEvent[] => {
        const application = numbers.get(one.application)
        if (application === undefined) return []
        const { title, text, badge, status, reason } = one
        const device = { token: tokenPart(one.token), platform: Number(one.platform) as Platform }
        const type = 'notification.received'
        return [{ at: Date.parse(one.at), application, type, ...device, title, text, badge, status, reason }]
      })
      return events.length <= MAX_AT_ONCE ? events : counted(events, now)
    },
  }
}

function counted(events: readonly TailEvent[], now: number): TailEvent[] {
  const byApplication = Map.groupBy(events, ({ application }) => application)
  return [...byApplication].map(([application, { length: count }]) => {
    return { at: now, application, type: 'notifications.received', count }
  })
}
