import { expect, test } from 'bun:test'
import { Tally } from '../../src/monitoring/tally.ts'

test('a tally begins every kind at zero, and leaves out who is deleted', () => {
  const tally = new Tally('outcome', ['delivered', 'failed'])
  tally.note(1, 'failed')
  tally.note(1, 'failed')
  tally.note(2, 'delivered')
  expect(tally.series((number) => (number === 1 ? 'shop' : null))).toEqual([
    [{ application: 'shop', outcome: 'delivered' }, 0],
    [{ application: 'shop', outcome: 'failed' }, 2],
  ])
})
