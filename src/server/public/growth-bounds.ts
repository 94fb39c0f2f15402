import { DAY_MS } from '../../clock.ts'
import type { GrowthBoundsOfCall, GrowthBounds, LeftOut, Shortage } from '../../device/growth.ts'
import { blockOf } from '../../network/address.ts'
import { createGrowthThrottle } from '../../usage/throttles.ts'
import type { Service } from '../service.ts'

const AGAIN_MS = DAY_MS

interface Dependencies extends Pick<Service, 'clock' | 'log' | 'metrics'> {
  readonly hasRoom: () => boolean
}

export function createGrowthBounds({ clock, log, metrics, hasRoom }: Dependencies): GrowthBounds {
  const throttle = createGrowthThrottle({ clock })
  const backend: GrowthBoundsOfCall = { hasRoom, limits: null }
  const saidAt = new Map<string, number>()

  /** At intervals; of several full networks, one. */
  function say(application: number, why: Extract<Shortage, { kind: 'full' }> | LeftOut): void {
    const what = why.kind === 'full' ? 'devices' : 'labels'
    const network = why.kind === 'full' ? null : why.network
    const key = `${application} ${what} ${network !== null}`
    if (clock.now() - (saidAt.get(key) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) return
    saidAt.set(key, clock.now())
    const most = { application, most: why.max }
    if (network !== null) {
      log.warn('a network reached its share of labels: its calls cannot add more (bellhop labels APP)', {
        ...most,
        network,
      })
    } else {
      const look = what === 'labels' ? 'bellhop labels APP, or ' : ''
      log.warn(
        `an application is full: calls without its secret cannot add ${what} (${look}bellhop app limits --${what} N)`,
        most,
      )
    }
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
          network: blockOf(address),
          takeRows(rows) {
            // An operation may run twice, but must pay once.
            if (rows <= taken) return 0
            const wait = throttle.take(number, address, rows - taken)
            if (wait === 0) taken = rows
            return wait
          },
        },
      }
    },
    refused({ number }, why) {
      metrics.refusals.note(number, REASON[why.kind])
      if (why.kind === 'full' || why.kind === 'left-out') say(number, why)
    },
  }
}

const REASON = { 'no-room': 'disk', 'too-fast': 'rows', full: 'devices', 'left-out': 'labels' } as const
