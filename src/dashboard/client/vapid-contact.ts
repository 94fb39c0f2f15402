/** A placeholder for the sender's address. */
const NOBODY = 'mailto:you@example.com'

/** Private names, and IP addresses. */
const NOT_PUBLIC = /(^|\.)(localhost|local|internal|test|invalid)\.?$|^\[|^[\d.]+$|^[^.]*$/

/** The contact for push services: the public API's origin if Apple would accept it. */
export function contactAt(url: string): string {
  const { protocol, hostname, origin } = new URL(url)
  return protocol === 'https:' && !NOT_PUBLIC.test(hostname) ? origin : NOBODY
}
