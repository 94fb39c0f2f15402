import { expect, test } from 'bun:test'
import { outcomeOfFailure } from '../../../src/gateway/transport/failure-outcome.ts'
import { describeFetchFailure } from '../../../src/gateway/transport/fetch-failure.ts'

function errorOf(code: string): Error {
  return Object.assign(new TypeError('fetch failed'), { code })
}

test.each([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'FailedToOpenSocket',
  'HTTP2Unsupported',
  'HTTP2RefusedStream',
  'EPROTO',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])('%s means that nothing was done: everything of this credential waits', (code) => {
  const failure = describeFetchFailure(errorOf(code))
  expect(failure).toEqual({ kind: 'failed', reason: code, sent: 'no' })
  expect(outcomeOfFailure(failure)).toEqual({ kind: 'deferred', afterMs: null, scope: 'credential', reason: code })
})

test.each(['ECONNRESET', 'HTTP2GoAway', 'HTTP2ProtocolError', 'SomethingNew'])(
  '%s may come after the gateway acted: only this device waits',
  (code) => {
    const failure = describeFetchFailure(errorOf(code))
    expect(failure).toEqual({ kind: 'failed', reason: code, sent: 'unknown' })
    expect(outcomeOfFailure(failure)).toEqual({
      kind: 'deferred',
      afterMs: null,
      scope: 'device',
      reason: code,
      strain: true,
    })
  },
)

test('an error without a code goes by its name', () => {
  const aborted = new DOMException('The operation was aborted.', 'AbortError')
  expect(describeFetchFailure(aborted)).toEqual({ kind: 'failed', reason: 'AbortError', sent: 'unknown' })
})

test('a request that HTTP/2 cannot carry is the fault of its push, and never sent', () => {
  const failure = { kind: 'failed', reason: 'HTTP2InvalidHeader', sent: 'refused' } as const
  expect(outcomeOfFailure(failure)).toEqual({ kind: 'rejected', blame: 'push', reason: 'HTTP2InvalidHeader' })
})
