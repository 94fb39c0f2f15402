import { expect, test } from 'bun:test'
import { createLog } from '../../src/log.ts'
import { watchDisk } from '../../src/monitoring/disk-watch.ts'
import { createFakeClock } from '../support/fake-clock.ts'

const MEBIBYTE = 1024 * 1024

test('a nearly full disk is said at once, each hour while it lasts, and when it is over', () => {
  const clock = createFakeClock()
  const said: unknown[] = []
  const log = createLog('info', clock.now, (line) => {
    const { level, event } = JSON.parse(line)
    said.push([level, event])
  })
  let free: number | null = 10
  const disk = () => (free === null ? null : { freeBytes: free * MEBIBYTE, sizeBytes: 1000 * MEBIBYTE })
  const end = watchDisk({ clock, log, disk })
  const full = ['warn', 'The data disk is nearly full: 10 MiB of 1000 MiB are free.']
  expect(said).toEqual([full])
  clock.advance(59 * 60_000)
  expect(said).toEqual([full])
  clock.advance(60_000)
  expect(said).toEqual([full, full])
  free = null
  clock.advance(60_000)
  free = 900
  clock.advance(60_000)
  expect(said).toEqual([full, full, ['info', 'the data disk has free space again']])
  clock.advance(120 * 60_000)
  free = 10
  clock.advance(60_000)
  expect(said).toHaveLength(4)
  end()
  clock.advance(120 * 60_000)
  expect(said).toHaveLength(4)
})
