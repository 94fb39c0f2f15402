import { isIP, isIPv4 } from 'node:net'
import { failure } from '../failure.ts'
import type { Failure } from '../failure.ts'

/**
 * Refuses a foreign Host, against DNS rebinding: a page whose name resolves to 127.0.0.1 sends that name. The host of an
 * absolute target counts more (RFC 9112, 3.2.2), but Bun 1.4.5 hides it, and browsers send none. `names`: in lower case,
 * besides localhost and addresses.
 */
export function hostRefusalOf(headers: Pick<Headers, 'get'>, names: ReadonlySet<string>): Failure | null {
  const host = headers.get('host')
  if (host === null || isOwn(nameIn(host), names)) return null
  return failure('MisdirectedRequestError', 'The admin side does not allow this host name: add it with --admin-host.')
}

/** Refuses calls by pages of other sites. Following a link to our page is no call. */
export function siteRefusalOf(headers: Pick<Headers, 'get'>): Failure | null {
  // https://www.w3.org/TR/fetch-metadata. same-site: a page on another port of this machine.
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  const isForeign = origin !== null && origin !== ownOrigin(headers)
  if (site === 'cross-site' || site === 'same-site' || isForeign) {
    return failure('ForbiddenError', 'Pages of other sites may not call the admin side.')
  }
  return null
}

/**
 * Whether the browser uses https, which ends at a proxy. The proxy sets X-Forwarded-Proto; pages of other sites cannot
 * send it without a preflight. Without that header: browsers send Fetch Metadata to https and loopback only (Fetch
 * Metadata, 2; Secure Contexts, 3.1).
 */
export function cameSecurely(headers: Pick<Headers, 'get'>): boolean {
  const scheme = headers.get('x-forwarded-proto')
  if (scheme !== null) return scheme.split(',', 1)[0]?.trim().toLowerCase() === 'https'
  return headers.get('sec-fetch-site') !== null && !namesLoopback(headers)
}

/** `localhost`, `127.0.0.1:8791`, `[::1]`. */
export function namesLoopback(headers: Pick<Headers, 'get'>): boolean {
  const name = nameIn(headers.get('host') ?? '')
  return name === 'localhost' || (name !== null && isLoopback(name))
}

/** `127.0.0.0/8`, `::1`, and both IPv4-mapped, as dual-stack sockets show IPv4 callers. */
export function isLoopback(address: string): boolean {
  const plain = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address
  return plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'))
}

function isOwn(name: string | null, names: ReadonlySet<string>): boolean {
  return name !== null && (isIP(name) !== 0 || name === 'localhost' || names.has(name))
}

/** Without the port; `null`: invalid. */
function nameIn(host: string): string | null {
  const [, address, name] = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::\d*)?$/i.exec(host) ?? []
  return address ?? name?.toLowerCase().replace(/\.$/, '') ?? null
}

/** As browsers write it: in lower case, without the default port. `null`: invalid Host. */
function ownOrigin(headers: Pick<Headers, 'get'>): string | null {
  const scheme = cameSecurely(headers) ? 'https' : 'http'
  return URL.parse(`${scheme}://${headers.get('host')}`)?.origin ?? null
}
