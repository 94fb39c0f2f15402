import { beforeEach, expect, test } from 'bun:test'
import { createReadinessCheck } from '../../src/monitoring/readiness-check.ts'
import { createFakeClock } from '../support/fake-clock.ts'

let clock: ReturnType<typeof createFakeClock>
let writes: PromiseWithResolvers<void>[]
let check: ReturnType<typeof createReadinessCheck>

beforeEach(() => {
  clock = createFakeClock()
  writes = []
  check = createReadinessCheck({
    clock,
    log: { error: () => {} },
    probeDatabase() {
      const write = Promise.withResolvers<void>()
      writes.push(write)
      return write.promise
    },
    senders: () => [],
    nameOf: () => null,
    disk: () => null,
    backups: () => null,
    moved: () => [],
    nearlyUsed: () => [],
    earlyEnds: () => null,
  })
})

test('a write that is refused is told with its reason', async () => {
  const checked = check(0)
  writes[0]?.reject(new Error('attempt to write a readonly database'))
  expect((await checked).reasons).toEqual(['The database cannot be written: attempt to write a readonly database.'])
})

test('a disk that hangs is told of in two seconds, and not asked again meanwhile', async () => {
  const first = check(0)
  clock.advance(2000)
  expect((await first).reasons).toEqual(['The database cannot be written: it has not taken a write for 2 seconds.'])
  const second = check(0)
  expect(writes).toHaveLength(1)
  writes[0]?.resolve()
  expect((await second).ready).toBe(true)
})

test('a write that failed is never good enough, nor one of a time to come', async () => {
  const first = check(60_000)
  writes[0]?.reject(new Error('disk I/O error'))
  expect((await first).ready).toBe(false)
  const second = check(60_000)
  writes[1]?.resolve()
  expect((await second).ready).toBe(true)
  clock.set(clock.now() - 3_600_000)
  void check(60_000)
  expect(writes).toHaveLength(3)
})
