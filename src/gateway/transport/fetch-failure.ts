import { failureReason } from './failure-reason.ts'
import type { TransportAnswer } from './transport.ts'

/**
 * Errors of Bun's fetch that come before a byte of the request is sent: no address, no connection, no TLS. And a stream
 * that was refused again and again, which by RFC 9113, 8.7, means that nothing was done about it.
 */
const NOT_SENT =
  /^(ECONNREFUSED|ConnectionRefused|ENOTFOUND|EAI_\w+|DNSLookupFailed|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|FailedToOpenSocket|HTTP2Unsupported|HTTP2RefusedStream|EPROTO|ERR_TLS_\w+|ERR_SSL_\w+|UNABLE_TO_\w+|\w*CERT\w*|HOSTNAME_MISMATCH|INVALID_CA)$/

/** What an error of fetch says about the request. A reset may come before or after the gateway acted on it. */
export function describeFetchFailure(error: unknown): TransportAnswer & { kind: 'failed' } {
  const reason = failureReason(error)
  return { kind: 'failed', reason, sent: NOT_SENT.test(reason) ? 'no' : 'unknown' }
}
