import { describe, expect, test } from 'bun:test'
import { createReceivedPushes } from '../../../src/gateway/simulator/received-pushes.ts'
import type { ReceivedPush } from '../../../src/gateway/simulator/received-pushes.ts'

const arrival = (token: string, status: number | null = 200): ReceivedPush => ({
  provider: 'apns',
  environment: 'production',
  token,
  id: null,
  pushType: null,
  target: null,
  collapse: null,
  headers: {},
  body: null,
  status,
  reason: null,
  at: 0,
})

describe('arrivals', () => {
  test('are given in order, the newest last', () => {
    const arrivals = createReceivedPushes(10)
    for (const token of ['a', 'b', 'c']) arrivals.add(arrival(token))
    expect(arrivals.list().map(({ token }) => token)).toEqual(['a', 'b', 'c'])
  })

  test('are kept up to the limit, however many there were', () => {
    const arrivals = createReceivedPushes(3)
    for (let number = 1; number <= 20; number++) {
      arrivals.add(arrival(`${number}`))
      const expected = [number - 2, number - 1, number].filter((kept) => kept > 0).map(String)
      expect(arrivals.list().map(({ token }) => token)).toEqual(expected)
    }
  })

  test('are not kept at all with a limit of 0, but counted and told', () => {
    const arrivals = createReceivedPushes(0)
    const heard: string[] = []
    arrivals.listen(({ token }) => heard.push(token))
    for (const token of ['a', 'b']) arrivals.add(arrival(token))
    expect(arrivals.list()).toEqual([])
    expect(heard).toEqual(['a', 'b'])
    expect(arrivals.counts()).toEqual({ accepted: 2, refused: 0 })
  })

  test('count as accepted only with status 200', () => {
    const arrivals = createReceivedPushes(10)
    for (const status of [200, 400, null, 503, 200]) arrivals.add(arrival('a', status))
    expect(arrivals.counts()).toEqual({ accepted: 2, refused: 3 })
  })

  test('are told to every listener until it stops', () => {
    const arrivals = createReceivedPushes(10)
    const heard: string[] = []
    const stop = arrivals.listen(({ token }) => heard.push(`first ${token}`))
    arrivals.listen(({ token }) => heard.push(`second ${token}`))
    arrivals.add(arrival('a'))
    stop()
    arrivals.add(arrival('b'))
    expect(heard).toEqual(['first a', 'second a', 'second b'])
  })
})
