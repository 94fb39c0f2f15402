import { isIP, isIPv4 } from 'node:net'
import { failure } from '../failure.ts'
import type { Failure } from '../failure.ts'

/**
 * Why a call is refused for the name that it calls us by; `null`: let it in. A page can have its own name lead to 127.0.0.1
 * (DNS rebinding), but then the Host header has that name: an address in it, or none, is no such page's. `names` in lower
 * case, beside localhost.
 */
export function hostRefusalOf(headers: Pick<Headers, 'get'>, names: ReadonlySet<string>): Failure | null {
  const host = headers.get('host')
  if (host === null || isOwn(nameIn(host), names)) return null
  return failure('MisdirectedRequestError', 'This host name is not one of the admin side: --admin-host adds it.')
}

/**
 * Why a call is refused for the page that makes it: a page of another site in an operator's browser may neither read nor
 * change anything here. To follow a link to our own page is no call.
 */
export function siteRefusalOf(headers: Pick<Headers, 'get'>): Failure | null {
  // https://www.w3.org/TR/fetch-metadata; same-site is a page of another port of this machine.
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  const isForeign = origin !== null && origin !== ownOrigin(headers)
  if (site === 'cross-site' || site === 'same-site' || isForeign) {
    return failure('ForbiddenError', 'A page of another site may not call the admin side.')
  }
  return null
}

/**
 * Whether the browser came by https, which ends at a proxy in front: this listener speaks plain http. A page of another
 * site cannot add the proxy's header: that takes a preflight, which is refused. Where the proxy does not send it, browsers
 * tell by themselves: they send Fetch Metadata to https and to loopback only (Fetch Metadata, 2; Secure Contexts, 3.1).
 */
export function cameSecurely(headers: Pick<Headers, 'get'>): boolean {
  const scheme = headers.get('x-forwarded-proto')
  if (scheme !== null) return scheme.split(',', 1)[0]?.trim().toLowerCase() === 'https'
  return headers.get('sec-fetch-site') !== null && !namesLoopback(headers)
}

/** Whether the call names this machine by a loopback address or as localhost: `127.0.0.1:8791`, `[::1]`. */
export function namesLoopback(headers: Pick<Headers, 'get'>): boolean {
  const name = nameIn(headers.get('host') ?? '')
  return name === 'localhost' || (name !== null && isLoopback(name))
}

/** `127.0.0.0/8`, `::1`, and either as IPv4 in IPv6, by which a socket for both shows callers of the former. */
export function isLoopback(address: string): boolean {
  const plain = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address
  return plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'))
}

function isOwn(name: string | null, names: ReadonlySet<string>): boolean {
  return name !== null && (isIP(name) !== 0 || name === 'localhost' || names.has(name))
}

/** The name or address of a Host header, without its port; `null` where it is neither. */
function nameIn(host: string): string | null {
  const [, address, name] = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::\d*)?$/i.exec(host) ?? []
  return address ?? name?.toLowerCase().replace(/\.$/, '') ?? null
}

/** As a browser writes it: in lower case, without the port that the scheme has anyway. `null`: the Host is no host. */
function ownOrigin(headers: Pick<Headers, 'get'>): string | null {
  const scheme = cameSecurely(headers) ? 'https' : 'http'
  return URL.parse(`${scheme}://${headers.get('host')}`)?.origin ?? null
}
