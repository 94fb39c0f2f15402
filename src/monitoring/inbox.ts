import type { Application } from '../application/application.ts'
import { receivedOf } from '../gateway/simulator/received.ts'
import { targetsOf } from '../gateway/simulator/known-credentials.ts'
import type { Simulator } from '../gateway/simulator/simulator.ts'
import { isoTime } from '../text/format.ts'

interface Dependencies {
  /** `null`: not started. */
  readonly simulator: () => Pick<Simulator, 'arrivals' | 'counts'> | null
  readonly applications: () => readonly Application[]
}

const SHOWN_CHARACTERS = 12

/** A token's first characters. Endpoints of one push service share these: their origin and last characters. */
function partOf(token: string): string {
  const [origin] = /^https:\/\/[^/]+\//.exec(token) ?? []
  return origin === undefined ? token.slice(0, SHOWN_CHARACTERS) : `${origin}…${token.slice(-SHOWN_CHARACTERS)}`
}

/** The simulator's arrivals after number `after`, oldest first, out of its last 1,000. */
export type Inbox = ReturnType<typeof createInbox>

export function createInbox({ simulator, applications }: Dependencies) {
  return (after: number) => {
    const running = simulator()
    if (running === null) return { last: 0, received: [] }
    const { accepted, refused } = running.counts()
    const last = accepted + refused
    const arrivals = running.arrivals()
    const first = last - arrivals.length + 1
    const simulated = new Map(
      applications()
        .filter((application) => application.simulated)
        .flatMap(({ id }) => Object.values(targetsOf(id)).map((target) => [target, id])),
    )
    const received = arrivals.flatMap((arrival, at) => {
      if (first + at <= after) return []
      const { target, platform, token, at: receivedAt, ...shown } = receivedOf(arrival)
      const application = simulated.get(target ?? '')
      if (application === undefined) return []
      const device = { application, platform: String(platform), token: partOf(token) }
      const number = first + at
      return Object.assign({ number, at: isoTime(receivedAt) }, device, shown)
    })
    return { last, received }
  }
}
