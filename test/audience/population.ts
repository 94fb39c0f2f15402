import type { DeviceTraits, Filter } from '../../src/audience/filter.ts'
import { PLATFORMS } from '../../src/platform.ts'
import type { Device, Platform } from '../../src/device/device.ts'
import { openRegistry } from '../support/registry.ts'

export const EVERYBODY: Filter = {
  platforms: PLATFORMS,
  tags: null,
  tagsMatch: 'any',
  exceptTags: null,
  active: null,
  exceptActive: null,
  alias: null,
  exceptAlias: null,
}

export const DEVICES = 300
export const TAGS = ['common', 'half', 'rare', 'never on iOS', 'a', 'b', 'c', 'd']
export const TYPES = ['news', 'chat', 'a']
export const USERS = ['ann', 'bob', 'cem', 'dora']
export const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo']
const HOUR_MS = 60 * 60 * 1000

/** Around these lie the devices: a town, the equator, the date line from both sides, and the poles. */
export const CENTRES: readonly (readonly [lat: number, lng: number])[] = [
  [52.52, 13.405],
  [0, 0],
  [-17.7, 179.9],
  [64.7, -180],
  [90, 0],
  [-89.9, 77],
]

type Member = Device & DeviceTraits

/** The same devices for every run: a small generator with a fixed seed (Park and Miller, "minimal standard"). */
function createRandom(seed = 20_261_120) {
  let state = seed
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

/**
 * Two applications with devices of their own and the same names, one registered each hour; some have come again since,
 * and some are gone, quarantined or erased.
 */
export function openPopulation() {
  const registry = openRegistry()
  const { database, devices, clock } = registry
  const random = createRandom()
  const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const registered: Member[][] = [[], [], []]
  const startedAt = clock.now()

  function place(): { lat?: number; lng?: number } {
    if (random() < 0.2) return {}
    const [lat, lng] = oneOf(CENTRES)
    const spread = oneOf([0, 0.001, 0.1, 3])
    const east = lng + (random() - 0.5) * spread
    return {
      lat: Math.min(Math.max(lat + (random() - 0.5) * spread, -90), 90),
      lng: east > 180 ? east - 360 : east < -180 ? east + 360 : east,
    }
  }

  function join(number: number): void {
    const application = number % 5 === 0 ? 2 : 1
    const platform: Platform = random() < 0.6 ? 0 : 1
    const chance = [0.9, 0.5, 0.03, platform === 0 ? 0 : 0.5, 0.2, 0.2, 0.2, 0.2]
    const tag = TAGS.filter((_, index) => random() < (chance[index] ?? 0))
    const active = TYPES.filter(() => random() < 0.3)
    const alias = number % 10 < 3 ? `alias-${number}` : ''
    const token = number % 2 === 0 ? `text-${number}` : number.toString(16).padStart(8, '0')
    const timezone = oneOf([...ZONES, ''])
    const user = number % 3 === 0 ? (USERS[number % 7] ?? '') : ''
    const first = { token, platform, tag, active, alias, user, timezone, ...place() }
    let outcome = devices.register(application, first)
    const registeredAt = clock.now()
    if (random() < 0.4) {
      clock.advance(Math.floor(random() * 20) * HOUR_MS)
      outcome = devices.register(application, { token, platform, timezone: oneOf(ZONES), ...place() })
    }
    const { device } = outcome
    const seenAt = clock.now()
    const movedAt = device.timezone === (timezone || null) ? null : seenAt
    const fate = random()
    if (fate < 0.05) devices.markGone(device.id, { since: Infinity, now: seenAt + 1, reason: 'Unregistered' })
    else if (fate < 0.1) devices.quarantine(device.id, { since: Infinity, now: seenAt + 1, reason: 'BadDeviceToken' })
    else if (fate < 0.15) devices.unregister(application, platform, token)
    else registered[application]?.push({ ...device, registeredAt, seenAt, movedAt })
  }

  database.transact(() => {
    for (let number = 0; number < DEVICES; number++) {
      clock.advance(HOUR_MS)
      join(number)
    }
  })
  return {
    ...registry,
    /** ms since the Unix epoch, before and after all of them. */
    startedAt,
    endedAt: clock.now(),
    registered: (application: number): readonly Member[] => registered[application] ?? [],
  }
}
