import { expect, test } from 'bun:test'
import { failureReason, outcomeOfFailure } from '../../../src/gateway/transport/failures.ts'

test.each([
  ['no', { kind: 'deferred', afterMs: null, scope: 'credential' }],
  ['unknown', { kind: 'deferred', afterMs: null, scope: 'device', strain: true }],
  // A request that HTTP/2 cannot carry is the fault of its push.
  ['refused', { kind: 'rejected', blame: 'push' }],
] as const)('a request without an answer, sent: %s', (sent, outcome) => {
  expect(outcomeOfFailure({ kind: 'failed', reason: 'why', sent })).toEqual({ ...outcome, reason: 'why' })
})

test('a request that was not sent waits as long as its gateway is left alone', () => {
  const failed = { kind: 'failed', reason: 'why', sent: 'no', afterMs: 16_000 } as const
  expect(outcomeOfFailure(failed)).toMatchObject({ afterMs: 16_000 })
})

test('an error goes by its code, and by its name where it has none', () => {
  expect(failureReason(Object.assign(new TypeError('x'), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED')
  expect(failureReason(new DOMException('The operation was aborted.', 'AbortError'))).toBe('AbortError')
  expect(failureReason('x')).toBe('Error')
})
