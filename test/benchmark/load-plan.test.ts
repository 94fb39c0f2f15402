import { describe, expect, test } from 'bun:test'
import { fill, readAnswer, requestOf } from '../../scripts/benchmark/measure/load-plan.ts'
import type { LoadPlan } from '../../scripts/benchmark/measure/load-plan.ts'
import { tokenOf } from '../../scripts/benchmark/setup/device-labels.ts'

test('templates are filled with the number of the call', () => {
  expect(fill('$n $n%50 $token', 123)).toBe(`123 23 ${tokenOf(123)}`)
  expect(fill('{"tokens":$tokens*2}', 123)).toBe(JSON.stringify({ tokens: [tokenOf(246), tokenOf(247)] }))
})

test('kinds take turns, and a request with a body says how long it is', () => {
  const plan: LoadPlan = {
    url: 'http://127.0.0.1:8790',
    headers: { 'accept-version': '1' },
    connections: 1,
    perSecond: null,
    kinds: [
      { name: 'read', method: 'GET', path: '/one', headers: { 'x-n': '$n' }, status: 200 },
      { name: 'write', method: 'PUT', path: '/two', body: '"ü$n"', status: 201 },
    ],
    calls: 2,
    from: 10,
  }
  expect(requestOf(plan, 10).toString()).toBe(
    'GET /one HTTP/1.1\r\nhost: 127.0.0.1:8790\r\naccept-version: 1\r\nx-n: 10\r\n\r\n',
  )
  expect(requestOf(plan, 11).toString()).toBe(
    'PUT /two HTTP/1.1\r\nhost: 127.0.0.1:8790\r\naccept-version: 1\r\ncontent-length: 6\r\n\r\n"ü11"',
  )
})

describe('readAnswer', () => {
  const whole = 'HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n"a"'

  test('gives the status and the length of head and body', () => {
    expect(readAnswer(Buffer.from(whole))).toEqual({ status: 201, bytes: whole.length })
    expect(readAnswer(Buffer.from(`${whole}HTTP`))).toEqual({ status: 201, bytes: whole.length })
  })

  test('gives null for every part of an answer', () => {
    for (let length = 0; length < whole.length; length++)
      expect(readAnswer(Buffer.from(whole.slice(0, length)))).toBeNull()
  })

  test('refuses one that does not say how long it is', () => {
    expect(() => readAnswer(Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'))).toThrow(
      'an answer without a Content-Length',
    )
  })
})
