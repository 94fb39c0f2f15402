import { describe, expect, test } from 'bun:test'
import { createDeviceList } from '../../src/device/device-list-store.ts'
import type { Device } from '../../src/device/device.ts'
import { openRegistry } from '../support/registry.ts'

/** 30 devices in the order 0 to 29, every third of them of application 2, on all platforms, number 5 gone. */
function openWithMany() {
  const registry = openRegistry()
  const { devices, database } = registry
  database.transact(() => {
    for (let number = 0; number < 30; number++) {
      const platform = number % 7 === 1 ? 2 : number % 2 === 0 ? 0 : 1
      const labels = { tag: [`t${number}`, 'all'], active: number % 4 === 0 ? ['news'] : [] }
      devices.register(number % 3 === 0 ? 2 : 1, { token: `token-${number}`, platform, ...labels })
    }
    devices.markGone(devices.idOf(1, 1, 'token-5') ?? 0, { since: Infinity, now: 1, reason: 'Unregistered' })
  })
  return registry
}

/** All pages of application 1, and the empty one at the end. */
function pagesOf({ devices }: ReturnType<typeof openRegistry>, limit: number): Device[][] {
  const pages: Device[][] = []
  for (let after = 0; ;) {
    const page = devices.list(1, { after, limit })
    pages.push(page)
    const last = page.at(-1)
    if (last === undefined) return pages
    after = last.id
  }
}

test('the devices of an application are listed in the order of their registration, page by page', () => {
  using registry = openWithMany()
  const { devices } = registry
  const pages = pagesOf(registry, 4)
  expect(pages.map((page) => page.length)).toEqual([4, 4, 4, 4, 3, 0])
  const expected = Array.from({ length: 30 }, (_, number) => number).filter((number) => number % 3 > 0 && number !== 5)
  const listed = pages.flat()
  expect(listed.map(({ token }) => token)).toEqual(expected.map((number) => `token-${number}`))
  expect(listed).toEqual(listed.map(({ token }) => devices.find(1, token) as Device))
  expect(listed.find(({ token }) => token === 'token-8')).toMatchObject({ tag: ['all', 't8'], active: ['news'] })
})

describe('a page of large devices', () => {
  const NAMES = Array.from({ length: 100 }, (_, n) => `${n} `.padEnd(256, 'ü'))
  const BYTES = NAMES.join('').length

  /** Large ones and small ones in turn, on both platforms. */
  function openWithLarge(count: number) {
    const registry = openRegistry()
    registry.database.transact(() => {
      for (let number = 0; number < count; number++) {
        const labels = number % 2 === 0 ? { tag: NAMES, active: NAMES } : { tag: ['small'] }
        registry.devices.register(1, { token: `token-${number}`, platform: number % 3 === 0 ? 1 : 0, ...labels })
      }
    })
    return registry
  }

  test('ends at about a mebibyte, and the pages together are everybody, whole', () => {
    using registry = openWithLarge(120)
    const { devices } = registry
    const pages = pagesOf(registry, 500).slice(0, -1)
    const sizes = pages.map((page) => page.reduce((sum, { tag }) => sum + (tag.length > 1 ? 2 * BYTES : 0), 0))
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1024 * 1024)
    expect(sizes.slice(0, -1).every((size) => size > 1024 * 1024 - 3 * BYTES)).toBe(true)
    const listed = pages.flat()
    expect(listed.map(({ token }) => token)).toEqual(Array.from({ length: 120 }, (_, number) => `token-${number}`))
    expect(listed).toEqual(listed.map(({ token }) => devices.find(1, token) as Device))
  })

  test('has one device where one is too large', () => {
    using registry = openRegistry()
    const { devices, database } = registry
    for (let number = 0; number < 3; number++)
      devices.register(1, { token: `token-${number}`, platform: 0, tag: NAMES })
    database.statement<never, []>(`UPDATE label SET name = name || hex(zeroblob(10000))`).run()
    expect(devices.list(1, { limit: 500 }).map(({ token }) => token)).toEqual(['token-0'])
  })

  test('ends where it is asked to', () => {
    using registry = openWithLarge(10)
    const { devices } = registry
    const ids = devices.list(1, { limit: 10 }).map(({ id }) => id)
    expect(devices.endOfPage(1, 4, {})).toBe(ids[3] ?? 0)
    expect(devices.endOfPage(1, 5, { after: ids[3] ?? 0 })).toBe(ids[8] ?? 0)
    for (const limit of [10, 11, 10_000]) expect(devices.endOfPage(1, limit, {})).toBeNull()
    expect(devices.list(1, { after: ids[1] ?? 0, through: ids[4] ?? 0, limit: 500 }).map(({ id }) => id)).toEqual(
      ids.slice(2, 5),
    )
  })
})

test('the devices of a user are three ranges of an index, which are not sorted', () => {
  using registry = openRegistry()
  const texts: string[] = []
  const { database } = registry
  createDeviceList({
    database: {
      statement: (sql) => database.statement(sql),
      reading: (sql) => {
        texts.push(sql)
        return database.reading(sql)
      },
    },
  })
  const ofUser = texts.filter((sql) => / user = /.test(sql))
  expect(ofUser).toHaveLength(2)
  for (const sql of ofUser) {
    const plan = database.statement<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all()
    const steps = plan
      .map(({ detail }) => detail)
      .filter((detail) => !/^(MERGE \(UNION ALL\)|LEFT|RIGHT)$/.test(detail))
    expect(steps).toHaveLength(3)
    for (const step of steps) {
      expect(step).toMatch(
        /^SEARCH device USING (COVERING )?INDEX device_by_user \(application=\? AND user=\? AND platform=\? AND state=\? AND rowid>\?/,
      )
    }
  }
})
