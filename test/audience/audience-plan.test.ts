import { afterAll, describe, expect, test } from 'bun:test'
import { audiencePages } from '../../src/audience/audience.ts'
import type { Filter } from '../../src/audience/filter.ts'
import type { Database } from '../../src/database/database.ts'
import type { Value } from '../../src/database/statement.ts'
import { EVERYBODY, openPopulation, TAGS, USERS, ZONES } from './population.ts'

const populated = openPopulation()
afterAll(() => populated[Symbol.dispose]())

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
    'a circle': { near: { lat: 52.52, lng: 13.405, radiusKm: 30 } },
    'a circle across the date line': { near: { lat: -17, lng: 180, radiusKm: 30 } },
    'a circle of many cells': { near: { lat: 52.52, lng: 13.405, radiusKm: 3000 } },
    'a circle around a pole': { near: { lat: 89, lng: 0, radiusKm: 300 }, tags: ['rare'] },
    'named devices': { devices: [3, 1, 2] },
    'named devices, a tag and an alias': { devices: [3, 1, 2], tags: ['common'], exceptAlias: 'alias-1' },
    'a named device by its alias': { devices: [1], alias: 'alias-1' },
    users: { users: USERS },
    'users, a tag and exceptions': { users: USERS, tags: ['common'], exceptUsers: ['bob'] },
    'users that are not meant': { exceptUsers: USERS },
    'a user that an expression asks for': { where: { all: [{ user: 'ann' }, { tag: 'common' }] } },
    'one of the users that an expression asks for': { where: { any: USERS.map((user) => ({ user })) } },
    'an expression against users': { where: { not: { any: USERS.map((user) => ({ user })) } } },
    times: { seenWithinMs: 1000, notSeenForMs: 10, registeredWithinMs: 500 },
    'time zones': { zones: ZONES, stayedSince: 5, exceptTags: ['rare'] },
    'time zones, and none': { zones: [...ZONES, null], stayedSince: 5 },
    'no time zone': { zones: [null] },
    'a tag that an expression asks for': {
      where: {
        all: [{ tag: 'common' }, { not: { any: [{ type: 'news' }, { near: { lat: 1, lng: 2, radiusKm: 3 } }] } }],
      },
    },
    'one of the tags that an expression asks for': { where: { any: [{ tag: 'common' }, { type: 'news' }] } },
    'an alias that an expression asks for': { where: { all: [{ alias: 'alias-1' }, { tag: 'common' }] } },
    'an expression that asks for nothing in particular': {
      where: {
        any: [
          { tag: 'common' },
          { all: [{ alias: 'alias-1' }, { seenWithinMs: 1 }] },
          { not: { registeredWithinMs: 1 } },
        ],
      },
    },
    'an expression against tags': { where: { not: { any: TAGS.map((tag) => ({ tag })) } } },
  }

  /** Everything a plan may hold: ranges that begin after a device's id, and lookups of one device. */
  const BOUNDED_STEP = new RegExp(
    [
      /^SEARCH d USING (COVERING )?INDEX device_reach \(application=\? AND platform=\? AND rowid>\? AND rowid<\?\)$/,
      /^SEARCH d USING INDEX device_by_alias \(application=\? AND alias=\?/,
      /^SEARCH device USING COVERING INDEX device_by_cell \(application=\? AND platform=\? AND cell=\? AND rowid>\? AND rowid<\?\)$/,
      /^SEARCH device USING COVERING INDEX device_by_zone \(application=\? AND timezone=\? AND rowid>\? AND rowid<\?\)$/,
      /^SEARCH d USING COVERING INDEX device_by_user \(application=\? AND user=\? AND platform=\? AND state=\?\)$/,
      /^SEARCH d USING INTEGER PRIMARY KEY \(rowid=\?\)$/,
      /^SEARCH device_label USING PRIMARY KEY \(label=\? AND device>\? AND device<\?\)$/,
      /^SEARCH x (EXISTS )?USING .*\((label=\? AND device=\?|device=\?( AND label=\?)?)\)$/,
      /^(CO-ROUTINE|SCAN) \(subquery-\d+\)$/,
      /^(MERGE \(UNION\)|LEFT|RIGHT)$/,
      /^(LIST|CORRELATED SCALAR) SUBQUERY \d+$/,
      // The names in the push itself.
      /^CREATE BLOOM FILTER$/,
      /^SCAN (json_each|u) VIRTUAL TABLE INDEX \d+:$/,
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
    audiencePages(watched, { filter: { ...EVERYBODY, asOf: 1000, ...filter } }, 1, 0).page(0, 1, 1)
    const plans = texts
      .filter((sql) => /\bd\./.test(sql))
      .map((sql) => populated.database.reading<{ detail: string }, Value[]>(`EXPLAIN QUERY PLAN ${sql}`))
      .map((plan) => plan.all().map(({ detail }) => detail))
    expect(plans.length).toBeGreaterThan(0)
    for (const step of plans.flat()) expect(step).toMatch(BOUNDED_STEP)
    const lookUps = plans.flat().filter((step) => step.includes('device_by_user'))
    expect(lookUps).toHaveLength(isOfUsers(filter) ? 1 : 0)
    // Label by label would be as many lookups on every device.
    if (filter.exceptTags === TAGS) expect(plans.flat().join()).toMatch(/SEARCH x USING .*\(device=\?\)/)
  })
})

/** Whether the filter names users, so that nobody else's devices are looked at. */
function isOfUsers({ users, where }: Partial<Filter>): boolean {
  return users !== undefined || /^\{"(all|any)":\[\{"user"/.test(JSON.stringify(where) ?? '')
}
