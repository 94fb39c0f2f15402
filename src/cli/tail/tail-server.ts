import type { Application } from '../../application/application.ts'
import type { Platform } from '../../device/device.ts'
import { PLATFORMS } from '../../platform.ts'
import { tokenPart } from '../../text/format.ts'
import type { World } from '../command.ts'
import type { TailEvent } from './tail-event.ts'

/** Shorter pauses are not reported. */
const STILL_MS = 2000

/** After every arrival. */
const LATEST = 1e15 - 1

interface Pause {
  readonly reason: string
  readonly since: number
  isTold: boolean
}

/** From the server's memory: pauses, and arrivals at the simulator. */
export function createServerTail({ pauseOf, received }: Pick<NonNullable<World['served']>, 'pauseOf' | 'received'>) {
  const pauses = new Map<string, Pause>()
  let { last } = received(LATEST)

  function* paused(application: number, platform: Platform, now: number): Generator<TailEvent> {
    const key = `${application}/${platform}`
    const known = pauses.get(key)
    const reason = pauseOf(application, platform)
    if (reason === null) {
      pauses.delete(key)
      if (known?.isTold === true) yield { at: now, application, type: 'sending.resumed', platform }
      return
    }
    const pause = known?.reason === reason ? known : { reason, since: now, isTold: false }
    pauses.set(key, pause)
    if (pause.isTold || now - pause.since < STILL_MS) return
    pause.isTold = true
    yield { at: now, application, type: 'sending.paused', platform, reason }
  }

  function arrived(applications: readonly Application[]): readonly TailEvent[] {
    const answer = received(last)
    last = answer.last
    return answer.received.flatMap((one): TailEvent[] => {
      const application = applications.find(({ id }) => id === one.application)?.number
      if (application === undefined) return []
      const { title, text, badge, status, reason } = one
      const device = { token: tokenPart(one.token), platform: Number(one.platform) as Platform }
      const type = 'notification.received'
      return [{ at: Date.parse(one.at), application, type, ...device, title, text, badge, status, reason }]
    })
  }

  return {
    *look(applications: readonly Application[], now: number): Generator<TailEvent> {
      yield* arrived(applications)
      for (const { number } of applications) {
        for (const platform of PLATFORMS) yield* paused(number, platform, now)
      }
    },
  }
}
