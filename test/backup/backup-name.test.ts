import { expect, test } from 'bun:test'
import { backupNameAt, lastTimeOf, surplusOf, timeInName } from '../../src/backup/backup-name.ts'

const NOON = Date.UTC(2026, 10, 21, 12)
const LATER = NOON + 100 * 86_400_000

test('a name says when the backup was made, and names sort by time', () => {
  expect(backupNameAt(NOON)).toBe('bellhop-2026-11-21T120000Z.db')
  expect(timeInName('bellhop-2026-11-21T120000Z.db')).toBe(NOON)
  const later = [NOON + 1000, NOON + 86_400_000, NOON + 40 * 86_400_000].map(backupNameAt)
  expect([...later, backupNameAt(NOON)].toSorted()).toEqual([backupNameAt(NOON), ...later])
})

test('a name that we did not give has no time', () => {
  for (const name of [
    'bellhop.db',
    'bellhop-2026-11-21T120000Z.db.partial',
    'bellhop-2026-13-21T120000Z.db',
    'my-bellhop-2026-11-21T120000Z.db',
    'bellhop-2026-11-21T120000Z.db/',
    '',
  ]) {
    expect(timeInName(name)).toBeNull()
  }
})

test('of those that are one too many only our own are named, the oldest first', () => {
  const own = [0, 1, 2, 3].map((day) => backupNameAt(NOON + day * 86_400_000))
  const others = ['aaa.db', 'holiday.jpg', 'bellhop-before-the-move.db', `${own[0]}.partial`]
  expect(surplusOf([...others, ...own.toReversed()], 2, LATER)).toEqual(own.slice(0, 2))
  expect(surplusOf([...others, ...own], 4, LATER)).toEqual([])
  expect(surplusOf(others, 1, LATER)).toEqual([])
})

test('a name of the future, by a clock that was wrong, is not the last one', () => {
  const names = [backupNameAt(NOON), backupNameAt(NOON + 5000), 'bellhop-2031-01-01T000000Z.db', 'x']
  expect(lastTimeOf(names, NOON + 10_000)).toBe(NOON + 5000)
  expect(lastTimeOf(['bellhop-2031-01-01T000000Z.db'], NOON)).toBeNull()
})

test('what a clock that was ahead has named does not outlive what is made since', () => {
  const ahead = ['bellhop-2031-01-01T000000Z.db', 'bellhop-2031-01-02T000000Z.db']
  const now = backupNameAt(NOON)
  expect(surplusOf([...ahead, now], 2, NOON)).toEqual(ahead.slice(0, 1))
  expect(surplusOf([...ahead, now], 1, NOON)).toEqual(ahead)
})
