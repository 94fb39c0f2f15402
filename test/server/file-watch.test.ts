import { expect, test } from 'bun:test'
import { createLog } from '../../src/log.ts'
import { watchFiles } from '../../src/server/storage/durable-database.ts'
import { createFakeClock } from '../support/fake-clock.ts'

const PROBLEM = '/data/bellhop.db was removed while it was in use'

function watched() {
  const clock = createFakeClock()
  const said: string[] = []
  const gone: string[] = []
  const disk = { problem: null as string | null }
  const watch = watchFiles({
    clock,
    log: createLog('info', clock.now, (line) => void said.push(JSON.parse(line).event)),
    guard: { problem: () => disk.problem, setLogAside: () => '/data/bellhop.db-wal.set-aside' },
    onGone: (problem) => void gone.push(problem),
  })
  return { clock, said, gone, disk, watch }
}

test('a database that is gone is said once, and given up after 30 s', () => {
  const { clock, said, gone, disk } = watched()
  clock.advance(10_000)
  expect(said).toEqual([])
  disk.problem = PROBLEM
  clock.advance(29_000)
  expect(said).toEqual([
    `${PROBLEM}: nothing more is written. Put it back, or restart Bellhop to use the file that is there now.`,
  ])
  expect(gone).toEqual([])
  clock.advance(2000)
  expect(gone[0]).toBe(PROBLEM)
  expect(said[1]).toBe('the WAL file of the opened database was moved aside: /data/bellhop.db-wal.set-aside')
})

test('what waits for a database goes on when it is back', async () => {
  const { clock, said, gone, disk, watch } = watched()
  disk.problem = PROBLEM
  expect(watch.problem()).toBe(PROBLEM)
  let isBack = false
  const back = watch.untilWhole().then(() => (isBack = true))
  clock.advance(5000)
  expect(isBack).toBe(false)
  disk.problem = null
  clock.advance(1000)
  await back
  clock.advance(60_000)
  expect(said.at(-1)).toBe('the database is back')
  expect(gone).toEqual([])
})
