import { afterAll, describe, expect, test } from 'bun:test'
import { assert, constantFrom, integer, property } from 'fast-check'
import { audiencePages } from '../../src/audience/audience.ts'
import type { AudiencePages } from '../../src/audience/audience.ts'
import { exclusionsBy } from '../../src/audience/exclusion.ts'
import type { Audience, Filter, Where } from '../../src/audience/filter.ts'
import type { Database } from '../../src/database/database.ts'
import { unpackToken } from '../../src/device/device.ts'
import { PLATFORMS } from '../../src/platform.ts'
import type { Platform } from '../../src/device/device.ts'
import { openRegistry } from '../support/registry.ts'
import { storeDevices } from '../support/stored-devices.ts'
import { aFilter, anExpression } from './arbitrary-filter.ts'
import { EVERYBODY, openPopulation, TAGS } from './population.ts'

const populated = openPopulation()
const ceiling = populated.database.statement<{ id: number }, []>('SELECT max(id) AS id FROM device').get()?.id ?? 0
afterAll(() => populated[Symbol.dispose]())

/** Reads all pages, and checks that each is what it says: in order, no longer than asked, and none behind `last`. */
function readAll(pages: AudiencePages, upTo: number, limit: number, from = 0): number[] {
  const ids: number[] = []
  for (let after = from; after < upTo;) {
    const { rows, last } = pages.page(after, upTo, limit)
    expect(rows.length).toBeLessThanOrEqual(limit)
    expect(last).toBeGreaterThan(after)
    for (const { id } of rows) {
      expect(id).toBeGreaterThan(ids.at(-1) ?? from)
      expect(id).toBeLessThanOrEqual(last)
      ids.push(id)
    }
    after = last
  }
  return ids
}

/** Of application 1. */
function pagesIn(database: Pick<Database, 'reading'>, filter: Partial<Filter>, platform: Platform = 0): AudiencePages {
  return audiencePages(database, { filter: { ...EVERYBODY, ...filter } }, 1, platform)
}

function countAll(pages: AudiencePages, upTo: number, candidates: number): number {
  let total = 0
  for (let after = 0; after < upTo;) {
    const { count, last } = pages.count(after, upTo, candidates)
    expect(last).toBeGreaterThan(after)
    total += count
    after = last
  }
  return total
}

const place = {
  application: constantFrom(1, 2),
  platform: constantFrom(...PLATFORMS),
  limit: integer({ min: 1, max: 60 }),
  upTo: integer({ min: 0, max: ceiling }),
}

function expectAsInWords(filter: Filter, application: number, platform: Platform, limit: number, upTo: number): void {
  const pages = audiencePages(populated.database, { filter }, application, platform)
  const expected = populated
    .registered(application)
    .filter((device) => device.platform === platform && device.id <= upTo && exclusionsBy(filter, device).length === 0)
    .map(({ id }) => id)
  expect(readAll(pages, upTo, limit)).toEqual(expected)
  expect(countAll(pages, upTo, limit)).toBe(expected.length)
}

test('any audience, in pages of any size, is who matches its filters', () => {
  const filter = aFilter(populated.startedAt, populated.endedAt)
  assert(property(filter, place.application, place.platform, place.limit, place.upTo, expectAsInWords), {
    numRuns: 3000,
  })
})

test('so is that of any expression alone', () => {
  const ofExpression = property(anExpression, place.application, place.platform, place.limit, (where, ...at) => {
    expectAsInWords({ ...EVERYBODY, where, asOf: populated.endedAt }, ...at, ceiling)
  })
  assert(ofExpression, { numRuns: 2000 })
})

describe('an audience', () => {
  const pagesOf = (filter: Partial<Filter>, platform: Platform = 0) => pagesIn(populated.database, filter, platform)
  const idsOf = (filter: Partial<Filter>, platform: Platform = 0) => readAll(pagesOf(filter, platform), ceiling, 50)
  const broadcast = idsOf({})

  test('gives what a gateway needs to address the device', () => {
    using registry = openRegistry()
    const { devices, database } = registry
    for (const token of ['abcd', 'Text']) devices.register(1, { token, platform: 0 })
    devices.rememberEnvironment(1, 'production')
    devices.rememberEnvironment(2, 'sandbox')
    devices.changeBadges([2], { set: 3 })
    devices.register(1, { token: '00ff', platform: 0 })
    const page = pagesIn(database, {}).page(0, 3, 10)
    expect(page.rows.map(({ id, token, environment, badge }) => [id, unpackToken(token), environment, badge])).toEqual([
      [1, 'abcd', 0, 0],
      [2, 'Text', 1, 3],
      [3, '00ff', null, 0],
    ])
  })

  test('of one device is that device, on its platform, in its application, while it is registered', () => {
    using registry = openRegistry()
    const { devices, database } = registry
    devices.register(1, { token: 'aa', platform: 1 })
    const ids = (audience: Audience, application = 1, platform: Platform = 1) =>
      readAll(audiencePages(database, audience, application, platform), 10, 5)
    const audience: Audience = { device: 1, platform: 1 }
    expect(ids(audience)).toEqual([1])
    expect(audiencePages(database, audience, 1, 1).count(0, 10, 5)).toEqual({ count: 1, last: 10 })
    expect(audiencePages(database, audience, 1, 1).page(1, 10, 5)).toEqual({ rows: [], last: 10 })
    expect(ids(audience, 2)).toEqual([])
    expect(ids(audience, 1, 0)).toEqual([])
    expect(ids({ device: 1, platform: 0 })).toEqual([])
    devices.quarantine(1, { since: Infinity, now: 1, reason: 'BadDeviceToken' })
    expect(ids(audience)).toEqual([])
  })

  test('may name as many labels as a request can', () => {
    using registry = openRegistry()
    const { devices, database } = registry
    const tags = Array.from({ length: 100 }, (_, index) => `t${index}`)
    database.transact(() => {
      for (const [index, tag] of tags.entries())
        devices.register(1, { token: tag, platform: 0, tag: [tag, `u${index % 2}`] })
      devices.register(1, { token: 'other', platform: 0, tag: ['other'] })
    })
    const ids = (filter: Partial<Filter>) => readAll(pagesIn(database, filter), 1000, 40)
    const all = tags.map((_, index) => index + 1)
    expect(ids({ tags })).toEqual(all)
    expect(ids({ tags, exceptTags: ['u1'] })).toEqual(all.filter((id) => id % 2 === 1))
    expect(ids({ exceptTags: tags })).toEqual([101])
    expect(ids({ tags, tagsMatch: 'all' })).toEqual([])
  })

  test('is read by its rarest filter', () => {
    using registry = openRegistry()
    const { devices, database } = registry
    database.transact(() => {
      for (let number = 0; number < 200; number++) {
        const rare = number % 100 === 0
        devices.register(1, {
          token: `${number}`,
          platform: 0,
          tag: rare ? ['common', 'rare'] : ['common'],
          active: rare ? ['common', 'rare'] : ['common'],
        })
        devices.addLabels(1, { token: `${number}`, platform: 0 }, 'tag', [number < 100 ? 'low' : 'high'])
        if (number % 4 > 0) devices.addLabels(1, { token: `${number}`, platform: 0 }, 'type', ['most'])
      }
    })
    // 10 entries of the common one would not lead to the ceiling.
    const count = (filter: Partial<Filter>, candidates = 10) => pagesIn(database, filter).count(0, 200, candidates)
    const rare = { count: 2, last: 200 }
    expect(count({ tags: ['common'] })).toEqual({ count: 10, last: 10 })
    expect(count({ tags: ['common', 'rare'], tagsMatch: 'all' })).toEqual(rare)
    expect(count({ tags: ['rare', 'common'], tagsMatch: 'all' })).toEqual(rare)
    expect(count({ tags: ['common'], active: ['rare'] })).toEqual(rare)
    expect(count({ tags: ['rare'], active: ['common'] })).toEqual(rare)
    expect(count({ where: { all: [{ tag: 'common' }, { any: [{ tag: 'rare' }, { type: 'rare' }] }] } })).toEqual(rare)
    expect(count({ tags: ['common'], where: { not: { not: { type: 'rare' } } } })).toEqual(rare)
    expect(count({ tags: ['common'], where: { not: { any: [{ not: { tag: 'rare' } }] } } })).toEqual(rare)
    // 100 and 100 of the tags against 150 of the type.
    expect(count({ tags: ['low', 'high'], active: ['most'] }, 160)).toEqual({ count: 150, last: 200 })
    expect(count({ tags: ['common'], active: ['common'], alias: 'nobody' })).toEqual({ count: 0, last: 200 })
  })

  test('is read by the place where that leads to the fewest, and else by the label', () => {
    using registry = openRegistry()
    const { devices, database } = registry
    database.transact(() => {
      for (let number = 0; number < 200; number++) {
        const there = number % 50 === 0 ? { lat: 52.52, lng: 13.405 } : { lat: -33, lng: 151 }
        devices.register(1, {
          token: `${number}`,
          platform: 0,
          tag: number < 3 ? ['common', 'rare'] : ['common'],
          ...there,
        })
      }
    })
    const count = (filter: Partial<Filter>) => pagesIn(database, filter).count(0, 200, 10)
    const [berlin, sydney] = [
      { lat: 52.5, lng: 13.4, radiusKm: 20 },
      { lat: -33, lng: 151, radiusKm: 20 },
    ]
    expect(count({ near: berlin })).toEqual({ count: 4, last: 200 })
    expect(count({ near: berlin, tags: ['common'] })).toEqual({ count: 4, last: 200 })
    expect(count({ where: { all: [{ tag: 'common' }, { near: berlin }] } })).toEqual({ count: 4, last: 200 })
    expect(count({ near: sydney, tags: ['rare'] })).toEqual({ count: 2, last: 200 })
    expect(count({ near: sydney })).toEqual({ count: 10, last: 11 })
    // Of many cells: each device is asked.
    expect(count({ near: { ...berlin, radiusKm: 2000 } })).toEqual({ count: 1, last: 10 })
  })

  test('of an expression that asks much has fewer devices on a page', () => {
    const other: Where[] = Array.from({ length: 100 }, (_, n) => ({ near: { lat: n / 2, lng: 0, radiusKm: n + 1 } }))
    const filter: Partial<Filter> = { where: { any: [...other, { not: { near: { lat: 5, lng: 5, radiusKm: 1 } } }] } }
    expect(pagesOf(filter).page(0, ceiling, 200).last).toBeLessThan(
      pagesOf({ exceptTags: ['rare'] }).page(0, ceiling, 200).last,
    )
    expect(idsOf(filter)).toEqual(broadcast)
  })

  test('may be of as large an expression as a request can be', () => {
    const tags: Where[] = Array.from({ length: 200 }, (_, n) => ({
      any: [{ tag: TAGS[n % 4] ?? '' }, { seenWithinMs: n }],
    }))
    const nested = (depth: number): Where =>
      depth === 0 ? { tag: 'common' } : { not: { all: [nested(depth - 1), { tag: 'half' }] } }
    expect(idsOf({ where: { all: tags }, asOf: 1 })).toEqual(idsOf({ where: { all: tags.slice(0, 4) }, asOf: 1 }))
    expect(idsOf({ where: { any: tags }, asOf: 1 })).toEqual(broadcast)
    expect(idsOf({ where: nested(14) })).not.toBeEmpty()
  })

  test('by a time that nobody has fixed is an error, and not everybody', () => {
    expect(() => pagesOf({ seenWithinMs: 1 })).toThrow('a filter by time has no moment')
  })

  test('of users with more devices than can be listed is read by asking each device', () => {
    using registry = openRegistry()
    storeDevices(registry.database, 50_100, (n) => ({ token: `kiosk-${n}`, user: n % 1000 === 999 ? 'ann' : 'kiosk' }))
    const reads = (users: readonly string[]) => {
      const pages = pagesIn(registry.database, { users })
      return [readAll(pages, 60_000, 20_000).length, countAll(pages, 60_000, 20_000)]
    }
    expect(reads(['ann'])).toEqual([50, 50])
    expect(reads(['ann', 'kiosk'])).toEqual([50_100, 50_100])
  })

  test('of users with many devices is whole, however often one is named', () => {
    using registry = openRegistry()
    storeDevices(registry.database, 30_000, (n) => ({ token: `hall-${n}`, user: n === 7 ? 'ann' : 'hall' }))
    const pages = pagesIn(registry.database, { users: ['hall', 'hall', 'ann'] })
    expect(countAll(pages, 40_000, 20_000)).toBe(30_000)
  })

  test('leaves out whoever has another user by the time that the page is read', () => {
    using registry = openRegistry()
    const register = (token: string, user: string) =>
      registry.devices.register(1, { token, platform: 0, user }).device.id
    const [first, second, third] = ['a', 'b', 'c'].map((token) => register(token, 'ann'))
    const pages = pagesIn(registry.database, { users: ['ann', 'cem'] })
    expect(readAll(pages, first ?? 0, 1)).toEqual([first ?? 0])
    register('b', 'bob')
    expect(readAll(pages, third ?? 0, 1, first)).toEqual([third ?? 0])
    expect(second).toBeDefined()
  })

  test('is counted in steps of bounded work, also where its filters leave nothing', () => {
    const pages = pagesOf({ exceptTags: TAGS })
    const first = pages.count(0, ceiling, 20)
    expect(first.last).toBe(broadcast[19] ?? 0)
    expect(first.last).toBeLessThan(ceiling)
    // 'never on iOS' has entries, all of them on the other platform.
    const other = pagesOf({ tags: ['never on iOS'] }).count(0, ceiling, 5)
    expect(other.count).toBe(0)
    expect(other.last).toBeLessThan(ceiling)
  })
})
