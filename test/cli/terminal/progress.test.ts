import { describe, expect, test } from 'bun:test'
import { createProgress, progressLine } from '../../../src/cli/terminal/progress.ts'
import { createFakeClock } from '../../support/fake-clock.ts'

const HALF_WAY = { done: 430_000, total: 1_000_000, startedAt: 0, now: 20_000, columns: 120, unit: 'devices' }

describe('a progress line', () => {
  test('says how far it is, how fast, and how long it takes still', () => {
    const line = progressLine(HALF_WAY)
    expect(line).toBe(` 43 % [${'#'.repeat(17)}${'-'.repeat(23)}] 430,000 of 1,000,000 devices, 21,500/s, 27 s left`)
  })

  test('shows bytes in MB', () => {
    const line = progressLine({ ...HALF_WAY, done: 4_100_000, total: 8_300_000, unit: 'bytes', note: '1,204 rows' })
    expect(line).toEndWith('] 4.1 of 8.3 MB, 0.2 MB/s, 21 s left, 1,204 rows')
  })

  test('is as long as it may be, and gives up its bar first', () => {
    for (const columns of [79, 60, 40, 10])
      expect(progressLine({ ...HALF_WAY, columns }).length).toBeLessThanOrEqual(columns)
    expect(progressLine({ ...HALF_WAY, columns: 60 })).toBe(' 43 % 430,000 of 1,000,000 devices, 21,500/s, 27 s left')
  })

  test('has no bar where nobody knows the total', () => {
    expect(progressLine({ ...HALF_WAY, total: null })).toBe('430,000 devices, 21,500/s')
  })

  test('is whole at the end, also of nothing', () => {
    expect(progressLine({ ...HALF_WAY, done: 1_000_000 })).toStartWith(`100 % [${'#'.repeat(40)}]`)
    expect(progressLine({ ...HALF_WAY, done: 0, total: 0, now: 0 })).toStartWith('100 % [')
  })

  test('says long times in minutes and hours', () => {
    expect(progressLine({ ...HALF_WAY, done: 100_000, total: 1_000_000 })).toEndWith('3 min 0 s left')
    expect(progressLine({ ...HALF_WAY, done: 1000, total: 1_000_000 })).toEndWith('5 h 33 min left')
  })
})

describe('progress', () => {
  test('on a terminal is drawn five times a second at most, in its place, and taken away', () => {
    const clock = createFakeClock()
    const written: string[] = []
    const stderr = (text: string) => void written.push(text)
    const progress = createProgress({ stderr, clock, terminal: { columns: 80 } }, { unit: 'rows' })
    for (let done = 0; done < 100; done++) {
      progress.show(done, 100)
      clock.advance(10)
    }
    expect(written).toHaveLength(5)
    expect(written.every((text) => text.startsWith('\r\u001B[K') && text.length <= 3 + 1 + 79)).toBe(true)
    progress.end()
    expect(written.at(-1)).toBe('\r\u001B[K')
  })

  test('in a pipe is a plain line every ten seconds, and none for what is short', () => {
    const clock = createFakeClock()
    let written = ''
    const progress = createProgress(
      { stderr: (text) => void (written += text), clock, terminal: null },
      { unit: 'rows' },
    )
    progress.show(40, 100)
    clock.advance(9_999)
    progress.show(41, 100)
    expect(written).toBe('')
    clock.advance(1)
    progress.show(50, 100)
    progress.end()
    expect(written).toBe('50 % 50 of 100 rows, 1/s, 50 s left\n')
  })
})
