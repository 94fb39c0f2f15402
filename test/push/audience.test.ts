import { afterAll, describe, expect, test } from 'bun:test'
import { array, assert, constant, constantFrom, integer, nat, oneof, option, property, record } from 'fast-check'
import type { Arbitrary } from 'fast-check'
import type { Database, Value } from '../../src/database/database.ts'
import { PLATFORMS, unpackToken } from '../../src/device/device.ts'
import type { Device, Platform } from '../../src/device/device.ts'
import { audiencePages } from '../../src/push/audience.ts'
import type { AudiencePages } from '../../src/push/audience.ts'
import type { Audience, Filter } from '../../src/push/push.ts'
import { openRegistry } from '../support/registry.ts'
import { matches } from './naive-audience.ts'

const EVERYBODY: Filter = {
  platforms: PLATFORMS,
  tags: null,
  tagsMatch: 'any',
  exceptTags: null,
  active: null,
  exceptActive: null,
  alias: null,
  exceptAlias: null,
}
const DEVICES = 300
const TAGS = ['common', 'half', 'rare', 'never on iOS', 'a', 'b', 'c', 'd']
const TYPES = ['news', 'chat', 'a']

/** The same devices for every run: a small generator with a fixed seed (Park and Miller, "minimal standard"). */
function createRandom(seed = 20_261_120) {
  let state = seed
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

/** Two applications with devices of their own and the same names; some devices are gone, quarantined or erased. */
function openPopulated() {
  const registry = openRegistry()
  const { database, devices } = registry
  const random = createRandom()
  const registered: Device[][] = [[], [], []]
  database.transact(() => {
    for (let number = 0; number < DEVICES; number++) {
      const application = number % 5 === 0 ? 2 : 1
      const platform: Platform = random() < 0.6 ? 0 : 1
      const chance = [0.9, 0.5, 0.03, platform === 0 ? 0 : 0.5, 0.2, 0.2, 0.2, 0.2]
      const tag = TAGS.filter((_, index) => random() < (chance[index] ?? 0))
      const active = TYPES.filter(() => random() < 0.3)
      const alias = number % 10 < 3 ? `alias-${number}` : ''
      const token = number % 2 === 0 ? `text-${number}` : number.toString(16).padStart(8, '0')
      const outcome = devices.register(application, { token, platform, tag, active, alias })
      if (outcome.kind !== 'created') throw new Error(outcome.kind)
      const { device } = outcome
      const fate = random()
      if (fate < 0.05) devices.markGone(device.id, { since: null, now: 1, reason: 'Unregistered' })
      else if (fate < 0.1) devices.quarantine(device.id, { now: 1, reason: 'BadDeviceToken' })
      else if (fate < 0.15) devices.unregister(application, platform, token)
      else registered[application]?.push(device)
    }
  })
  return { ...registry, registered: (application: number): readonly Device[] => registered[application] ?? [] }
}

const populated = openPopulated()
const ceiling = populated.devices.highestId()
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

const names = (known: readonly string[]) =>
  option(array(constantFrom(...known, 'unknown'), { maxLength: 7 }), { nil: null })

const anAlias = option(
  nat(DEVICES).map((number) => `alias-${number}`),
  { nil: null, freq: 1 },
)

const aFilter: Arbitrary<Filter> = record({
  platforms: constantFrom<(readonly Platform[])[]>([0, 1], [0], [1]),
  tags: names(TAGS),
  tagsMatch: constantFrom('any', 'all'),
  exceptTags: names(TAGS),
  active: names(TYPES),
  exceptActive: names(TYPES),
  alias: oneof({ weight: 9, arbitrary: constant(null) }, { weight: 1, arbitrary: anAlias }),
  exceptAlias: anAlias,
})

test('any audience, in pages of any size, is who matches its filters', () => {
  const inAnyAudience = property(
    aFilter,
    constantFrom(1, 2),
    constantFrom(...PLATFORMS),
    integer({ min: 1, max: 60 }),
    integer({ min: 0, max: ceiling }),
    (filter, application, platform, limit, upTo) => {
      const pages = audiencePages(populated.database, { filter }, application, platform)
      const expected = populated
        .registered(application)
        .filter((device) => device.platform === platform && device.id <= upTo && matches(filter, device))
        .map(({ id }) => id)
      expect(readAll(pages, upTo, limit)).toEqual(expected)
      expect(countAll(pages, upTo, limit)).toBe(expected.length)
    },
  )
  assert(inAnyAudience, { numRuns: 3000 })
})

describe('an audience', () => {
  const pagesOf = (filter: Partial<Filter>, platform: Platform = 0) =>
    audiencePages(populated.database, { filter: { ...EVERYBODY, ...filter } }, 1, platform)
  const idsOf = (filter: Partial<Filter>, platform: Platform = 0) => readAll(pagesOf(filter, platform), ceiling, 50)
  const broadcast = idsOf({})

  test('gives what a gateway needs to address the device', () => {
    using registry = openRegistry()
    const { devices, database } = registry
    for (const token of ['abcd', 'Text']) devices.register(1, { token, platform: 0 })
    devices.rememberEnvironment(1, 'production')
    devices.rememberEnvironment(2, 'sandbox')
    devices.storeBadge(2, 3)
    devices.register(1, { token: '00ff', platform: 0 })
    const page = audiencePages(database, { filter: EVERYBODY }, 1, 0).page(0, 3, 10)
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
    devices.quarantine(1, { now: 1, reason: 'BadDeviceToken' })
    expect(ids(audience)).toEqual([])
  })

  test('does not hold who registers after it was made', () => {
    expect(readAll(pagesOf({}), 100, 50)).toEqual(broadcast.filter((id) => id <= 100))
  })

  test('includes nobody by an unknown name, and excludes nobody by one', () => {
    expect(idsOf({ tags: ['unknown'] })).toEqual([])
    expect(idsOf({ tags: ['common', 'unknown'], tagsMatch: 'all' })).toEqual([])
    expect(idsOf({ active: ['unknown'] })).toEqual([])
    expect(idsOf({ alias: 'unknown' })).toEqual([])
    expect(idsOf({ exceptTags: ['unknown'], exceptActive: ['unknown'], exceptAlias: 'unknown' })).toEqual(broadcast)
    expect(idsOf({ tags: ['common', 'unknown'] })).toEqual(idsOf({ tags: ['common'] }))
  })

  test('of an empty list of tags or types is nobody, not everybody', () => {
    expect(idsOf({ tags: [] })).toEqual([])
    expect(idsOf({ tags: [], tagsMatch: 'all' })).toEqual([])
    expect(idsOf({ active: [] })).toEqual([])
    expect(idsOf({ exceptTags: [], exceptActive: [] })).toEqual(broadcast)
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
    const ids = (filter: Partial<Filter>) =>
      readAll(audiencePages(database, { filter: { ...EVERYBODY, ...filter } }, 1, 0), 1000, 40)
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
        devices.addLabel(1, { token: `${number}`, platform: 0 }, 'tag', number < 100 ? 'low' : 'high')
        if (number % 4 > 0) devices.addLabel(1, { token: `${number}`, platform: 0 }, 'type', 'most')
      }
    })
    // 10 entries of the common one would not lead to the ceiling.
    const count = (filter: Partial<Filter>, candidates = 10) =>
      audiencePages(database, { filter: { ...EVERYBODY, ...filter } }, 1, 0).count(0, 200, candidates)
    const rare = { count: 2, last: 200 }
    expect(count({ tags: ['common'] })).toEqual({ count: 10, last: 10 })
    expect(count({ tags: ['common', 'rare'], tagsMatch: 'all' })).toEqual(rare)
    expect(count({ tags: ['rare', 'common'], tagsMatch: 'all' })).toEqual(rare)
    expect(count({ tags: ['common'], active: ['rare'] })).toEqual(rare)
    expect(count({ tags: ['rare'], active: ['common'] })).toEqual(rare)
    // 100 and 100 of the tags against 150 of the type.
    expect(count({ tags: ['low', 'high'], active: ['most'] }, 160)).toEqual({ count: 150, last: 200 })
    expect(count({ tags: ['common'], active: ['common'], alias: 'nobody' })).toEqual({ count: 0, last: 200 })
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

describe('a page reads ranges of an index, and neither scans a table nor sorts an audience', () => {
  const cases: Record<string, Partial<Filter>> = {
    broadcast: {},
    'one tag': { tags: ['common'] },
    'any of 3 tags': { tags: ['common', 'half', 'rare'] },
    'all of 3 tags': { tags: ['common', 'half', 'rare'], tagsMatch: 'all' },
    'tags and exceptions': {
      tags: ['common', 'half'],
      exceptTags: ['rare'],
      exceptActive: ['chat'],
      exceptAlias: 'alias-1',
    },
    'only exceptions': { exceptTags: ['rare'], exceptAlias: 'alias-1' },
    'many exceptions': { exceptTags: TAGS },
    'types and tags': { active: ['news', 'chat'], tags: ['common'] },
    alias: { alias: 'alias-1', tags: ['common'] },
  }

  /** Everything a plan may hold: ranges that begin after a device's id, and lookups of one device. */
  const BOUNDED_STEP = new RegExp(
    [
      /^SEARCH d USING (COVERING )?INDEX device_reach \(application=\? AND platform=\? AND rowid>\? AND rowid<\?\)$/,
      /^SEARCH d USING INDEX device_by_alias \(application=\? AND alias=\?/,
      /^SEARCH d USING INTEGER PRIMARY KEY \(rowid=\?\)$/,
      /^SEARCH device_label USING PRIMARY KEY \(label=\? AND device>\? AND device<\?\)$/,
      /^SEARCH x (EXISTS )?USING .*\((label=\? AND device=\?|device=\?( AND label=\?)?)\)$/,
      /^(CO-ROUTINE|SCAN) \(subquery-\d+\)$/,
      /^(MERGE \(UNION\)|LEFT|RIGHT)$/,
      /^(LIST|CORRELATED SCALAR) SUBQUERY \d+$/,
    ]
      .map(({ source }) => source)
      .join('|'),
  )

  test.each(Object.entries(cases))('%s', (_, filter) => {
    const texts: string[] = []
    const watched: Pick<Database, 'reading'> = {
      reading: <Row, Params extends readonly Value[]>(sql: string) => {
        texts.push(sql)
        return populated.database.reading<Row, Params>(sql)
      },
    }
    audiencePages(watched, { filter: { ...EVERYBODY, ...filter } }, 1, 0)
    const plans = texts
      .filter((sql) => sql.includes('?5'))
      .map((sql) => populated.database.reading<{ detail: string }, Value[]>(`EXPLAIN QUERY PLAN ${sql}`))
      .map((plan) => plan.all().map(({ detail }) => detail))
    expect(plans.length).toBeGreaterThan(0)
    for (const step of plans.flat()) expect(step).toMatch(BOUNDED_STEP)
    // Label by label would be as many lookups on every device.
    if (filter.exceptTags === TAGS) expect(plans.flat().join()).toMatch(/SEARCH x USING .*\(device=\?\)/)
  })
})
