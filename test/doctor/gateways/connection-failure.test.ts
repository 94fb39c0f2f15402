import { describe, test } from 'bun:test'
import { connectionFinding } from '../../../src/doctor/gateways/connection-failure.ts'
import { expectFinding } from '../expect-finding.ts'

const straight = { host: 'api.push.apple.com', port: 443, proxy: null }
const proxied = { ...straight, proxy: 'proxy.example:3128' }

const FAILURES = [
  ['ENOTFOUND', straight, /does not resolve \(ENOTFOUND\)/, /resolv\.conf/],
  ['EAI_AGAIN', straight, /does not resolve/, /resolv\.conf/],
  ['ECONNREFUSED', straight, /cannot be reached \(ECONNREFUSED\)/, /port 443 .* 2197: --apns-url https:\/\/api\.push/],
  ['ENETUNREACH', straight, /cannot be reached/, /firewall/],
  ['deadline', straight, /does not answer in time/, /firewall/],
  ['ECONNRESET', straight, /cuts the connection/, /firewall/],
  ['HTTP2GoAway', straight, /cuts the connection/, /firewall/],
  ['HTTP2Unsupported', straight, /does not speak HTTP\/2/, /terminates TLS/],
  ['EPROTO', straight, /TLS with api\.push\.apple\.com fails/, /network/],
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    straight,
    /certificate by "Corp CA" that this machine does not trust/,
    /--gateway-ca/,
  ],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', straight, /"Corp CA" that this machine does not trust/, /--gateway-ca/],
  ['CERT_HAS_EXPIRED', straight, /of another time/, /Set the clock/],
  ['CERT_NOT_YET_VALID', straight, /of another time/, /Set the clock/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', straight, /for another name/, /\/etc\/hosts/],
  ['proxy: 407', proxied, /proxy\.example:3128 refuses its user and password/, /--proxy/],
  ['proxy: 403', proxied, /no tunnel to api\.push\.apple\.com \(403\)/, /Allow CONNECT/],
  ['proxy: ECONNREFUSED', proxied, /proxy\.example:3128 does not work \(ECONNREFUSED\)/, /that it runs/],
  ['through the proxy: ECONNREFUSED', proxied, /through the proxy proxy\.example:3128 cannot be reached/, /proxy may/],
] as const

describe('a way that does not lead to a gateway', () => {
  for (const [reason, way, found, advice] of FAILURES) {
    test(reason, () => {
      expectFinding(connectionFinding(reason, way, 'Corp CA'), 'failed', found, advice)
    })
  }

  test('another port is named', () => {
    expectFinding(
      connectionFinding('ECONNREFUSED', { ...straight, port: 2197 }),
      'failed',
      'api.push.apple.com:2197 cannot be reached (ECONNREFUSED).',
      'Allow outgoing TCP connections to port 2197 through the firewall.',
    )
  })
})
