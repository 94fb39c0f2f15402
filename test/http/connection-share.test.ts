import { describe, expect, test } from 'bun:test'
import { connectionsToEnd } from '../../src/http/connection-share.ts'
import type { OpenConnection } from '../../src/system/socket-table.ts'

let files = 0
function connection(address: string, facts: Partial<OpenConnection> = {}): OpenConnection {
  return { file: ++files, address, port: 8790, idleMs: 5000, waits: false, ...facts }
}

const many = (count: number, make: (n: number) => OpenConnection) => Array.from({ length: count }, (_, n) => make(n))
const nobody = () => false
const LIMIT = { atRest: 100, atAll: 120 }

describe('connections that end to make room', () => {
  test('are none up to the limit', () => {
    expect(
      connectionsToEnd(
        many(100, () => connection('192.0.2.1')),
        LIMIT,
        nobody,
      ),
    ).toEqual([])
  })

  test('are those that have been idle for longest, and a quarter more than is needed', () => {
    const all = many(101, (n) => connection('192.0.2.1', { idleMs: 2000 + n }))
    const ending = connectionsToEnd(all, LIMIT, nobody)
    expect(ending).toHaveLength(26)
    expect(Math.min(...ending.map(({ idleMs }) => idleMs))).toBe(2000 + 75)
  })

  test('are those of whoever has most, however long others have been idle', () => {
    const crowd = many(150, () => connection('192.0.2.1', { idleMs: 1500 }))
    const others = many(20, (n) => connection(`198.51.100.${n}`, { idleMs: 60_000 }))
    const ending = connectionsToEnd([...others, ...crowd], LIMIT, nobody)
    expect(new Set(ending.map(({ address }) => address))).toEqual(new Set(['192.0.2.1']))
    expect(ending).toHaveLength(95)
  })

  test('are shared by all who have many: each keeps as many as the others', () => {
    const crowd = many(200, (n) => connection(`192.0.2.${n % 10}`))
    const left = new Set(crowd)
    for (const ended of connectionsToEnd(crowd, LIMIT, nobody)) left.delete(ended)
    const each = [...Map.groupBy(left, ({ address }) => address).values()].map(({ length }) => length)
    expect([Math.min(...each), Math.max(...each)]).toEqual([7, 8])
  })

  test('count for a whole network of IPv6', () => {
    const crowd = many(90, (n) => connection(`2001:db8:0:1:0:0:0:${n.toString(16)}`))
    const others = many(30, (n) => connection(`2001:db8:0:${(n + 2).toString(16)}:0:0:0:1`))
    const ending = connectionsToEnd([...crowd, ...others], LIMIT, nobody)
    expect(ending.every(({ address }) => address.startsWith('2001:db8:0:1:'))).toBe(true)
  })

  test('are none of a proxy while others have some', () => {
    const proxied = many(80, () => connection('127.0.0.1', { idleMs: 60_000 }))
    const crowd = many(60, (n) => connection(`192.0.2.${n}`, { idleMs: 1000 }))
    const ending = connectionsToEnd(
      [...proxied, ...crowd, connection('192.0.2.0')],
      LIMIT,
      (peer) => peer === '127.0.0.1',
    )
    expect(ending[0]?.address).toBe('192.0.2.0')
    expect(ending).toHaveLength(66)
  })

  test('are in use only beyond the second limit, and wait for an answer last of all', () => {
    const busy = many(119, () => connection('192.0.2.1', { idleMs: 10 }))
    expect(connectionsToEnd(busy, LIMIT, nobody)).toEqual([])
    const calls = many(119, () => connection('192.0.2.1', { idleMs: 3000, waits: true }))
    expect(connectionsToEnd(calls, LIMIT, nobody)).toEqual([])
    const ending = connectionsToEnd(
      [...calls, ...many(20, () => connection('192.0.2.2', { idleMs: 10 }))],
      LIMIT,
      nobody,
    )
    expect(ending).toHaveLength(19)
    expect(ending.every(({ waits }) => !waits)).toBe(true)
    expect(connectionsToEnd([...calls, ...calls], LIMIT, nobody)).toHaveLength(118)
  })
})
