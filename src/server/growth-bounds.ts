import type { Application } from '../application/application.ts'
import { DAY_MS } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { GrowthBoundsOfCall, GrowthBounds } from '../device/growth.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../monitoring/metrics.ts'
import { createGrowthThrottle } from '../usage/growth-throttle.ts'

/** How often the log says that an application is full: at each call would fill it. */
const AGAIN_MS = DAY_MS

interface Dependencies {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly hasRoom: () => boolean
}

/** How far each call may make the registry grow, by the limits of its application. */
export function createGrowthBounds({ clock, log, metrics, hasRoom }: Dependencies): GrowthBounds {
  const throttle = createGrowthThrottle({ clock })
  const backend: GrowthBoundsOfCall = { hasRoom, limits: null }
  const saidAt = new Map<string, number>()

  function say({ number, limits }: Application, what: 'devices' | 'labels'): void {
    const key = `${number} ${what}`
    if (clock.now() - (saidAt.get(key) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) return
    saidAt.set(key, clock.now())
    const max = what === 'devices' ? limits.maxDevices : limits.maxLabels
    log.warn(
      `an application is full: calls without its secret bring no more ${what} (bellhop app limits --${what} N)`,
      {
        application: number,
        most: max,
      },
    )
  }

  return {
    boundsOf({ application: { number, limits }, address }) {
      if (address === null) return backend
      let taken = 0
      const { maxDevices, maxLabels } = limits
      return {
        hasRoom,
        limits: {
          maxDevices,
          maxLabels,
          takeRows(rows) {
            // An operation may run twice, and is to pay once.
            if (rows <= taken) return 0
            const wait = throttle.take(number, address, rows - taken)
            if (wait === 0) taken = rows
            return wait
          },
        },
      }
    },
    refused(application, why) {
      metrics.refusals.note(application.number, why.kind === 'full' ? why.resource : REASON[why.kind])
      if (why.kind === 'full') say(application, why.resource)
    },
  }
}

const REASON = { 'no-room': 'disk', 'too-fast': 'rows' } as const
