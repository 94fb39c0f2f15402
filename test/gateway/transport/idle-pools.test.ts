import { expect, test } from 'bun:test'
import { IdlePools } from '../../../src/gateway/transport/idle-pools.ts'
import { times } from './ways.ts'

test('thirty-two credentials share a pool, and the next begin another', () => {
  const pools = new IdlePools()
  const taken = times(70, () => pools.take({})?.secureOptions)
  expect(taken).toEqual(times(70, (n) => Math.floor(n / 32)))
})

test('a place that was left is taken before another pool is begun', () => {
  const pools = new IdlePools()
  const places = times(64, () => pools.take({}))
  places[5]?.leave()
  expect(pools.take({})?.secureOptions).toBe(0)
  expect(pools.take({})?.secureOptions).toBe(2)
})

test('more than 1024 credentials are spread evenly over the pools there are', () => {
  const pools = new IdlePools()
  const taken = times(2048, () => pools.take({})?.secureOptions ?? -1)
  const sizes = Map.groupBy(taken, (pool) => pool)
  expect([...sizes.values()].map(({ length }) => length)).toEqual(times(32, () => 64))
})

test('of certificates twenty-four have a place, however often each takes one', () => {
  const pools = new IdlePools()
  const places = times(24, (n) => pools.take({ cert: `certificate ${n}` }))
  expect(places).not.toContain(null)
  expect(pools.take({ cert: 'another' })).toBeNull()
  const again = pools.take({ cert: 'certificate 3' })
  expect(again).not.toBeNull()
  places[3]?.leave()
  expect(pools.take({ cert: 'another' })).toBeNull()
  again?.leave()
  expect(pools.take({ cert: 'another' })).not.toBeNull()
})
