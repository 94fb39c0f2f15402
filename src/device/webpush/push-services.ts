/** `other`: named by the operator. */
export type PushServiceMaker = 'google' | 'mozilla' | 'apple' | 'microsoft' | 'other'

interface KnownService {
  readonly maker: PushServiceMaker
  /** Stands for all `hosts`, where the endpoints are. */
  readonly origin: string
  /** A leading dot means all subdomains. */
  readonly hosts: readonly string[]
}

/** Chrome, Firefox, Safari and Edge. Chromium without Google's keys, as in Linux distributions, subscribes at jmt17. */
const SERVICES: readonly KnownService[] = [
  { maker: 'google', origin: 'https://fcm.googleapis.com', hosts: ['fcm.googleapis.com', 'jmt17.google.com'] },
  { maker: 'mozilla', origin: 'https://updates.push.services.mozilla.com', hosts: ['.push.services.mozilla.com'] },
  { maker: 'apple', origin: 'https://web.push.apple.com', hosts: ['.push.apple.com'] },
  { maker: 'microsoft', origin: 'https://wns.notify.windows.com', hosts: ['.notify.windows.com'] },
]

/** Nobody can own this name (RFC 6761, 6.4), so a stray request reaches nobody. */
export const SIMULATED_SERVICE = 'https://simulator.invalid'

/** Whose push service the simulator imitates: `https://simulator.invalid/apple/…`. */
const PLAYED = /^\/(google|mozilla|apple|microsoft)\//

/** Real endpoints have 150 to 500 bytes. */
const MAX_ENDPOINT_BYTES = 2048

/**
 * Ends the sentence `token …`; `null`: allowed. Anybody can register an endpoint, so it must be at a browser's push
 * service or one that the operator named. `named`: `https://host[:port]`, optionally with a `/path` above its
 * endpoints.
 */
export function endpointProblem(endpoint: string, named: readonly string[]): string | null {
  const problem = endpointFormProblem(endpoint)
  if (problem !== null) return problem
  const url = new URL(endpoint)
  if (isNamed(url, named) || knownService(url) !== undefined) return null
  return `must be an endpoint of a push service that is allowed here: ${KNOWN_NAMES}, or one that the operator names with --push-services`
}

export function endpointFormProblem(endpoint: string): string | null {
  if (Buffer.byteLength(endpoint) > MAX_ENDPOINT_BYTES) return `must be at most ${MAX_ENDPOINT_BYTES} bytes long`
  const url = URL.parse(endpoint)
  // One spelling only: another one would be another device.
  if (url === null || url.protocol !== 'https:' || url.href !== endpoint) {
    return "must be the endpoint of a push subscription, an https URL as the browser's subscription has it"
  }
  if (url.username !== '' || url.password !== '' || endpoint.includes('#')) {
    return 'must be the endpoint of a push subscription, without user and fragment'
  }
  return null
}

/** Strangers can make up hosts of a known service, so its hosts share one origin's state. */
export function pushServiceOrigin(url: URL): string {
  return knownService(url)?.origin ?? url.origin
}

/** For people: a known host instead of its subdomains, else host and port. */
export function pushServiceName(origin: string): string {
  const url = URL.parse(origin)
  const [host] = (url && knownService(url)?.hosts) ?? []
  return host?.replace(/^\./, '') ?? url?.host ?? 'other'
}

/** A stranger may have invented this subdomain. */
export function mayBeMadeUp(url: URL): boolean {
  const service = knownService(url)
  return service !== undefined && service.origin !== url.origin && !service.hosts.includes(url.hostname)
}

/** The operator may name any address. */
export function isNamed({ origin, pathname }: URL, named: readonly string[]): boolean {
  return named.some((one) => {
    if (!one.startsWith(origin)) return false
    const path = one.slice(origin.length)
    if (path === '') return true
    // Without the slash the rest is a port, or more digits of one: another origin.
    return path.startsWith('/') && `${pathname}/`.startsWith(`${path}/`) && !LEADS_OUT.test(pathname)
  })
}

/** Some servers leave a path by an encoded slash, backslash, dot or percent sign, or by dots as in `/..;/`. */
const LEADS_OUT = /%(?:2f|5c|2e|25)|\/\.{1,2};/i

/** Each has rules beyond RFC 8030. */
export function pushServiceMaker(url: URL): PushServiceMaker {
  const { hostname, pathname } = url
  const service = knownService(url)
  if (service !== undefined) return service.maker
  if (hostname !== SIMULATED_HOST) return 'other'
  return (PLAYED.exec(pathname)?.[1] as PushServiceMaker | undefined) ?? 'other'
}

const SIMULATED_HOST = new URL(SIMULATED_SERVICE).hostname

function knownService({ hostname, port }: URL): KnownService | undefined {
  if (port !== '') return undefined
  return SERVICES.find(({ hosts }) => hosts.some((host) => isHost(hostname, host)))
}

function isHost(hostname: string, known: string): boolean {
  if (!known.startsWith('.')) return hostname === known
  return hostname.endsWith(known) && LABELS.test(hostname.slice(0, -known.length))
}

/** RFC 1123, 2.1; no empty label. */
const LABELS = /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*$/

const KNOWN_NAMES = SERVICES.flatMap(({ hosts }) => hosts)
  .map((host) => host.replace(/^\./, '*.'))
  .join(', ')
