import { describe, expect, test } from 'bun:test'
import { exclusionsBy } from '../../src/audience/exclusion.ts'
import type { DeviceTraits, Filter } from '../../src/audience/filter.ts'
import type { FilterField } from '../../src/audience/narrowings.ts'
import { EVERYBODY } from './population.ts'

const ANN: DeviceTraits = {
  id: 17,
  platform: 0,
  tag: ['beta', 'vip'],
  active: ['news'],
  alias: 'ann',
  user: 'ann@example',
  lat: 52.52,
  lng: 13.405,
  registeredAt: 1000,
  seenAt: 5000,
  timezone: 'Europe/Berlin',
  movedAt: 3000,
}

const HERE = { lat: 52.5, lng: 13.4, radiusKm: 10 }

const CASES: readonly (readonly [
  filter: Partial<Filter>,
  failed: readonly FilterField[],
  device?: Partial<DeviceTraits>,
])[] = [
  [{}, []],
  [{ platforms: [0] }, []],
  [{ platforms: [1] }, ['platform']],
  [{ tags: ['vip', 'x'] }, []],
  [{ tags: ['vip', 'x'], tagsMatch: 'all' }, ['tags']],
  [{ tags: [] }, ['tags']],
  [{ tags: [], tagsMatch: 'all' }, ['tags']],
  [{ exceptTags: ['x', 'vip'] }, ['except_tags']],
  [{ exceptTags: [], exceptActive: [] }, []],
  [{ active: [] }, ['active']],
  [{ active: ['news'], exceptActive: ['offers'] }, []],
  [{ active: ['offers'], exceptActive: ['news'] }, ['active', 'except_active']],
  [{ alias: 'ann' }, []],
  [{ alias: 'bob', exceptAlias: 'ann' }, ['alias', 'except_alias']],
  [{ exceptAlias: 'ann' }, [], { alias: null }],
  [{ users: ['ann@example', 'bob'], exceptUsers: ['bob'] }, []],
  [{ users: ['bob'], exceptUsers: ['ann@example'] }, ['users', 'except_users']],
  [{ users: [] }, ['users']],
  [{ users: ['ann@example'], exceptUsers: ['ann@example'] }, ['users'], { user: null }],
  [{ where: { all: [{ user: 'ann@example' }, { not: { user: 'bob' } }] } }, []],
  [{ near: HERE }, []],
  [{ near: { ...HERE, lat: 53 } }, ['near']],
  [{ near: { ...HERE, radiusKm: 20_038 } }, ['near'], { lat: null, lng: null }],
  [{ seenWithinMs: 5000 }, []],
  [{ seenWithinMs: 4999 }, ['seen_within']],
  [{ notSeenForMs: 5000 }, ['not_seen_for']],
  [{ notSeenForMs: 4999 }, []],
  [{ registeredWithinMs: 9000 }, []],
  [{ registeredWithinMs: 8999 }, ['registered_within']],
  [{ where: { all: [{ tag: 'vip' }, { not: { type: 'offers' } }] } }, []],
  [{ where: { any: [{ tag: 'x' }, { platform: 1 }, { alias: 'bob' }] } }, ['where']],
  [{ where: { not: { near: HERE } } }, [], { lat: null, lng: null }],
  [{ where: { not: { any: [{ seenWithinMs: 1 }, { registeredWithinMs: 1 }] } } }, []],
  [{ where: { all: [{ notSeenForMs: 1 }, { near: HERE }, { type: 'news' }] } }, []],
  [{ devices: [16, 17] }, []],
  [{ devices: [16] }, ['tokens']],
  [{ devices: [], tags: ['x'] }, ['tags', 'tokens']],
  [{ zones: ['Europe/Berlin', null] }, []],
  [{ zones: ['Asia/Tokyo', null] }, ['send_at_local']],
  [{ zones: [null] }, [], { timezone: null }],
  [{ stayedSince: 3001 }, []],
  [{ stayedSince: 3000 }, ['send_at_local']],
  [{ stayedSince: 0 }, [], { movedAt: null }],
]

describe('a device is left out by', () => {
  for (const [filter, failed, device] of CASES) {
    test(`${failed.join(' and ') || 'nothing'}: ${JSON.stringify({ ...filter, ...device })}`, () => {
      const exclusions = exclusionsBy({ ...EVERYBODY, asOf: 10_000, ...filter }, { ...ANN, ...device })
      expect(exclusions.map(({ field }) => field)).toEqual([...failed])
    })
  }
})
