import { expect, test } from 'bun:test'
import { cpuMs, median, rssMb } from '../../scripts/benchmark/measure/process-figures.ts'

test('the median is the middle one, or the mean of the two in the middle', () => {
  expect(median([30, 10, 20])).toBe(20)
  expect(median([40, 10, 20, 30])).toBe(25)
  expect(median([])).toBeNaN()
})

test.skipIf(process.platform !== 'linux')('CPU time and memory of a process are read from Linux', () => {
  // Linux counts it in hundredths of a second.
  while (process.cpuUsage().user < 50_000);
  expect(cpuMs(process.pid)).toBeGreaterThan(0)
  const { now, peak } = rssMb(process.pid)
  expect(now).toBeGreaterThan(10)
  expect(peak).toBeGreaterThanOrEqual(now)
})
