/** Stands for the address of whoever sends, until it is changed. */
const NOBODY = 'mailto:you@example.com'

/** Names that are of no public domain, and addresses. */
const NOT_PUBLIC = /(^|\.)(localhost|local|internal|test|invalid)\.?$|^\[|^[\d.]+$|^[^.]*$/

/** What push services are told to reach whoever sends at, where the public API is at `url`: that, if Apple takes it. */
export function contactAt(url: string): string {
  const { protocol, hostname, origin } = new URL(url)
  return protocol === 'https:' && !NOT_PUBLIC.test(hostname) ? origin : NOBODY
}
