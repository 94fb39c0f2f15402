const NOBODY = 'mailto:you@example.com'

const NOT_PUBLIC = /(^|\.)(localhost|local|internal|test|invalid)\.?$|^\[|^[\d.]+$|^[^.]*$/

/** The contact for push services: the public API's origin, or a placeholder if Apple would refuse it. */
export function contactAt(url: string): string {
  const { protocol, hostname, origin } = new URL(url)
  return protocol === 'https:' && !NOT_PUBLIC.test(hostname) ? origin : NOBODY
}
