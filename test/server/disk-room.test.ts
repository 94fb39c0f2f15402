import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createLog } from '../../src/log.ts'
import { keepReserve } from '../../src/server/storage/disk-room.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

test('a reserve that is gone is not called a quota, and of a directory that was moved away nothing is said', () => {
  using place = temporaryDirectory('bellhop-reserve')
  const data = join(place.path, 'data')
  mkdirSync(data)
  const clock = createFakeClock()
  const lines: string[] = []
  const log = createLog('warn', clock.now, (line) => void lines.push(JSON.parse(line).event))
  const end = keepReserve(data, log, { clock, disk: () => ({ freeBytes: 1024 ** 3, sizeBytes: 10 * 1024 ** 2 }) })
  expect(existsSync(join(data, 'reserve'))).toBe(true)

  renameSync(data, `${data}.moved`)
  clock.advance(1000)
  expect(lines).toEqual([])

  renameSync(`${data}.moved`, data)
  clock.advance(1000)
  rmSync(join(data, 'reserve'))
  clock.advance(1000)
  expect(lines).toEqual(['the reserve is gone: the disk quota was used up, or the file was removed'])
  end()
})
