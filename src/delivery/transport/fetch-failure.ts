import type { TransportAnswer } from './transport.ts'

/** Errors of Bun's fetch that come before a byte of the request is sent: no address, no connection, no TLS. */
const NOT_SENT =
  /^(ECONNREFUSED|ConnectionRefused|ENOTFOUND|EAI_\w+|DNSLookupFailed|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|FailedToOpenSocket|HTTP2Unsupported|EPROTO|ERR_TLS_\w+|ERR_SSL_\w+|UNABLE_TO_\w+|\w*CERT\w*|HOSTNAME_MISMATCH|INVALID_CA)$/

/** What an error of fetch says about the request. A reset may come before or after the gateway acted on it. */
export function describeFetchFailure(error: unknown): TransportAnswer & { kind: 'failed' } {
  const reason = nameOf(error)
  return { kind: 'failed', reason, sent: NOT_SENT.test(reason) ? 'no' : 'unknown' }
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Error'
  // A DOMException's code is a number that says less than its name.
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
