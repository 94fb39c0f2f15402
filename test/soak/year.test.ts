import { expect, test } from 'bun:test'
import { liveDays } from './year.ts'

test('a day of the year of housekeeping has its newcomers, those who die, and its pushes', async () => {
  const { rows, file } = await liveDays(1, () => {})
  const counts = Object.fromEntries(Array.from(rows, ([table, points]) => [table, points.at(-1)?.value]))
  expect(counts).toMatchObject({ device: 5, left_device: 5, feedback: 5, push: 4, idempotency: 4, receipt: 4 })
  expect(file.map(({ value }) => value > 0)).toEqual([true])
})
