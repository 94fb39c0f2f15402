import { expect, test } from 'bun:test'
import { createAudienceCount } from '../../src/audience/audience-count.ts'
import { openRegistry } from '../support/registry.ts'
import { EVERYBODY } from './population.ts'

test('an audience is counted in parts, between which the event loop has its turn', async () => {
  using registry = openRegistry()
  const { database, devices } = registry
  database.transact(() => {
    for (let n = 0; n < 10_000; n++) {
      const platform = n % 4 === 0 ? 1 : 0
      devices.register(1, { token: n.toString(16).padStart(64, '0'), platform, ...(n % 10 === 0 && { tag: ['beta'] }) })
    }
    devices.register(2, { token: 'other', platform: 0 })
  })
  const count = createAudienceCount({ database })
  let turns = 0
  let next = setImmediate(again)
  function again(): void {
    turns++
    next = setImmediate(again)
  }
  expect(await count(1, EVERYBODY)).toBe(10_000)
  expect(turns).toBeGreaterThanOrEqual(5)
  clearImmediate(next)
  expect(await count(1, { ...EVERYBODY, platforms: [1] })).toBe(2500)
  expect(await count(1, { ...EVERYBODY, exceptTags: ['beta'] })).toBe(9000)
  expect(await count(2, EVERYBODY)).toBe(1)
  expect(await count(2, { ...EVERYBODY, tags: [] })).toBe(0)
})
