import { failing } from '../finding.ts'
import type { Finding } from '../finding.ts'

export interface Way {
  readonly host: string
  readonly port: number
  /** `host:port` */
  readonly proxy: string | null
}

/** `reason`: a transport's name for it. `issuer`: of the certificate the host presented. */
export function connectionFinding(reason: string, way: Way, issuer: string | null = null): Finding {
  const { host, port, proxy } = way
  const target = port === 443 ? host : `${host}:${port}`
  const own = /^proxy: (.*)$/.exec(reason)?.[1]
  if (own !== undefined) return proxyFinding(own, target, proxy ?? '')
  const code = reason.replace(/^through the proxy: /, '')
  const via = proxy === null ? '' : ` through the proxy ${proxy}`

  if (/^(ENOTFOUND|EAI_|ENODATA|DNSLookupFailed|ESERVFAIL|ETIMEOUT)/.test(code)) {
    return failing(`The name ${host} does not resolve (${code}).`, 'Check the name server in /etc/resolv.conf.')
  }
  const by = issuer === null ? '' : ` by "${issuer}"`
  if (/ALTNAME|HOSTNAME_MISMATCH/.test(code)) {
    return failing(
      `What answers as ${target}${via} shows a certificate${by} for another name.`,
      'Something else answers: check the name server, /etc/hosts and the network.',
    )
  }
  if (/CERT_(HAS_EXPIRED|NOT_YET_VALID)/.test(code)) {
    return failing(
      `What answers as ${target}${via} shows a certificate${by} of another time (${code}).`,
      'Set the clock of this machine (timedatectl set-ntp true); if it is right, a proxy terminates TLS in between.',
    )
  }
  if (isAboutCertificate(code)) {
    return failing(
      `What answers as ${target}${via} shows a certificate${by} that this machine does not trust (${code}).`,
      'A proxy in between terminates TLS: let connections pass unchanged, or trust its authority with --gateway-ca FILE.pem.',
    )
  }
  if (code === 'HTTP2Unsupported') {
    return failing(
      `What answers as ${target}${via} does not speak HTTP/2.`,
      'A proxy in between terminates TLS and speaks only HTTP/1.1: let connections pass unchanged.',
    )
  }
  if (/^(EPROTO|ERR_SSL|ERR_TLS|ERR_OSSL)/.test(code)) {
    return failing(`TLS with ${target}${via} fails (${code}).`, 'Something in between interferes: look at the network.')
  }
  if (/^(ECONNRESET|HTTP2|EPIPE|ConnectionClosed|closed$)/.test(code)) {
    return failing(
      `${target}${via} cuts the connection (${code}).`,
      'A firewall may do that: allow outgoing connections to it.',
    )
  }
  const late = code === 'deadline' ? 'does not answer in time' : `cannot be reached (${code})`
  return failing(`${target}${via} ${late}.`, openPort(host, port, proxy))
}

/** Names used by OpenSSL and Bun. */
export function isAboutCertificate(reason: string): boolean {
  return /CERT|UNABLE_TO_|INVALID_CA|HOSTNAME_MISMATCH/.test(reason)
}

function proxyFinding(reason: string, target: string, proxy: string): Finding {
  if (reason === '407') {
    return failing(`The proxy ${proxy} refuses its user and password (407).`, 'Fix them in --proxy.')
  }
  if (/^\d{3}$/.test(reason)) {
    return failing(
      `The proxy ${proxy} makes no tunnel to ${target} (${reason}).`,
      `Allow CONNECT to ${target} in the proxy.`,
    )
  }
  return failing(`The proxy ${proxy} does not work (${reason}).`, 'Check host and port in --proxy, and that it runs.')
}

function openPort(host: string, port: number, proxy: string | null): string {
  if (proxy !== null) return 'Check that the proxy may reach it.'
  const other =
    host.endsWith('push.apple.com') && port === 443
      ? `; Apple also listens on 2197: --apns-url https://${host}:2197`
      : ''
  return `Allow outgoing TCP connections to port ${port} through the firewall${other}.`
}
