import { expect, test } from 'bun:test'
import { createGroupCommit } from '../../src/database/group-commit.ts'
import { createLog } from '../../src/log.ts'
import { keepServiceTime } from '../../src/server/storage/alongside.ts'
import { WALL_AHEAD } from '../../src/time/service-time-store.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { temporaryDatabase } from '../support/temporary-database.ts'

const DAY_MS = 86_400_000

test('whoever writes in a transaction finds the clock as it is, also where another of the same turn is undone', async () => {
  await using opened = new AsyncDisposableStack()
  const { database } = opened.use(temporaryDatabase())
  const clock = createFakeClock()
  const group = opened.use(createGroupCommit(database, () => {}))
  const log = createLog('error', clock.now, () => {})
  const time = keepServiceTime({ database, group, clock, log, ttlClock: 'elapsed', opened })
  const ahead = database.statement<{ ms: number }, []>(`SELECT ${WALL_AHEAD} AS ms`)
  const read = () => ahead.get()?.ms
  expect(await group.commit(read)).toBe(0)

  clock.set(clock.now() + DAY_MS)
  const undone = group.commit(() => {
    throw new Error('refused')
  })
  const found = group.commit(read)
  expect(undone).rejects.toThrow('refused')
  expect(await found).toBe(DAY_MS)
  expect(time.wallAt(time.now())).toBe(clock.now())

  clock.set(clock.now() - 3 * DAY_MS)
  clock.advance(250)
  while (read() !== -2 * DAY_MS) await new Promise((resolve) => setImmediate(resolve))
})
