import { expect, test } from 'bun:test'
import { sendTargets } from '../../scripts/benchmark/contenders/send-targets.ts'

const ROWS = [
  { name: 'Bellhop, 200 devices', values: { perSecond: [60, 50, 70], cpuUs: [18] } },
  { name: 'fetch', values: { perSecond: [80], cpuUs: [12] } },
  { name: 'node-apn', values: { perSecond: [20] } },
  { name: 'client', values: { perSecond: [200] } },
  { name: 'h2load', values: { perSecond: [400] } },
  { name: 'Bellhop, million', values: { peakMb: [120, 140, 130] } },
]

const NAMES = {
  fetchLoop: 'fetch',
  nodeApn: null,
  go: null,
  client: 'client',
  h2load: null,
  million: 'Bellhop, million',
}

test('speed and CPU are compared by medians, and memory is as it was', () => {
  const targets = sendTargets(ROWS, { ...NAMES, nodeApn: 'node-apn', h2load: 'h2load' })
  expect(targets.map(({ what, value }) => [what, value])).toEqual([
    ['broadcast speed beside fetch', 0.75],
    ['broadcast speed beside node-apn', 3],
    ['CPU a push beside fetch', 1.5],
    ['client alone: speed beside h2load', 0.5],
    ['peak RSS, Bellhop, million', 130],
  ])
})

test('there is no goal for what could not be run', () => {
  expect(sendTargets(ROWS, { ...NAMES, million: 'Bellhop, other' }).map(({ what }) => what)).toEqual([
    'broadcast speed beside fetch',
    'CPU a push beside fetch',
  ])
})
