import { isIP } from 'node:net'
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
  const isForeign = origin !== null && hostIn(origin) !== headers.get('host')?.toLowerCase()
  if (site === 'cross-site' || site === 'same-site' || isForeign) {
    return failure('ForbiddenError', 'A page of another site may not call the admin side.')
  }
  return null
}

function isOwn(name: string | null, names: ReadonlySet<string>): boolean {
  return name !== null && (isIP(name) !== 0 || name === 'localhost' || names.has(name))
}

/** The name or address of a Host header, without its port; `null` where it is neither. */
function nameIn(host: string): string | null {
  const [, address, name] = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::\d*)?$/i.exec(host) ?? []
  return address ?? name?.toLowerCase().replace(/\.$/, '') ?? null
}

/** `127.0.0.1:8791` of `http://127.0.0.1:8791`; `null` also for the origin `null`. */
function hostIn(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null
}
