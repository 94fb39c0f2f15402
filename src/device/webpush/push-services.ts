/** Whose push service it is. `other`: one that the operator has named. */
export type PushServiceMaker = 'google' | 'mozilla' | 'apple' | 'microsoft' | 'other'

interface KnownService {
  readonly maker: PushServiceMaker
  /** The one that browsers have their endpoints at, or of several one that stands for them. */
  readonly origin: string
  /** One that begins with a dot stands for its subdomains. */
  readonly hosts: readonly string[]
}

/**
 * The push services of Chrome, Firefox, Safari and Edge. Chromium that was built without Google's keys, as Linux
 * distributions build it, subscribes at jmt17.
 */
const SERVICES: readonly KnownService[] = [
  { maker: 'google', origin: 'https://fcm.googleapis.com', hosts: ['fcm.googleapis.com', 'jmt17.google.com'] },
  { maker: 'mozilla', origin: 'https://updates.push.services.mozilla.com', hosts: ['.push.services.mozilla.com'] },
  { maker: 'apple', origin: 'https://web.push.apple.com', hosts: ['.push.apple.com'] },
  { maker: 'microsoft', origin: 'https://wns.notify.windows.com', hosts: ['.notify.windows.com'] },
]

/**
 * Where the browsers of the simulator have their endpoints. The name is one that nobody can have (RFC 6761, 6.4), so that
 * what is sent there by mistake reaches nobody.
 */
export const SIMULATED_SERVICE = 'https://simulator.invalid'

/** The simulator plays the push service of the maker that the path begins with: `https://simulator.invalid/apple/…`. */
const PLAYED = /^\/(google|mozilla|apple|microsoft)\//

/** Bytes of an endpoint at the most: those of browsers have 150 to 500. */
const MAX_ENDPOINT_BYTES = 2048

/**
 * Why a text is no endpoint that may be sent to, which ends the sentence `token …`; `null`: it is one. An endpoint comes
 * from whoever registers, so that it may lead only to the push services of browsers, and to those that the operator has
 * named. `named`: `https://host[:port]` of each, or that with the path that its endpoints are below, `/path`.
 */
export function endpointProblem(endpoint: string, named: readonly string[]): string | null {
  const problem = endpointFormProblem(endpoint)
  if (problem !== null) return problem
  const url = new URL(endpoint)
  if (isNamed(url, named) || knownService(url) !== undefined) return null
  return `must be an endpoint of a push service that is allowed here: ${KNOWN_NAMES}, or one that the operator names with --push-services`
}

/** The same, whichever push service it is of. */
export function endpointFormProblem(endpoint: string): string | null {
  if (Buffer.byteLength(endpoint) > MAX_ENDPOINT_BYTES) return `must be at most ${MAX_ENDPOINT_BYTES} bytes long`
  const url = URL.parse(endpoint)
  // In one spelling only: another one would be another device.
  if (url === null || url.protocol !== 'https:' || url.href !== endpoint) {
    return "must be the endpoint of a push subscription, an https URL as the browser's subscription has it"
  }
  if (url.username !== '' || url.password !== '' || endpoint.includes('#')) {
    return 'must be the endpoint of a push subscription, without user and fragment'
  }
  return null
}

/**
 * The origin that stands for the push service of an endpoint. Strangers can make up any number of hosts of a known one,
 * which all have to share what is kept for one.
 */
export function pushServiceOrigin(url: URL): string {
  return knownService(url)?.origin ?? url.origin
}

/** What a push service is called where people read it: a known host for all its subdomains, else its host and port. */
export function pushServiceName(origin: string): string {
  const url = URL.parse(origin)
  const [host] = (url && knownService(url)?.hosts) ?? []
  return host?.replace(/^\./, '') ?? url?.host ?? 'other'
}

/** Whether the host may be made up by whoever registers. */
export function mayBeMadeUp(url: URL): boolean {
  const service = knownService(url)
  return service !== undefined && service.origin !== url.origin && !service.hosts.includes(url.hostname)
}

/** Whether the operator has named its push service, which may then be at any address. */
export function isNamed({ origin, pathname }: URL, named: readonly string[]): boolean {
  return named.some((one) => {
    if (!one.startsWith(origin)) return false
    const path = one.slice(origin.length)
    if (path === '') return true
    // Else it is another origin: the port goes on.
    return path.startsWith('/') && `${pathname}/`.startsWith(`${path}/`) && !LEADS_OUT.test(pathname)
  })
}

/**
 * What a server may read as a way out of a path: an encoded slash, backslash, dot or percent sign, and a segment of dots
 * with parameters, as in `/..;/`.
 */
const LEADS_OUT = /%(?:2f|5c|2e|25)|\/\.{1,2};/i

/** Whose push service an endpoint is of. Each has rules of its own beyond RFC 8030. */
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

/** The labels of a name (RFC 1123, 2.1), none of them empty. */
const LABELS = /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*$/

const KNOWN_NAMES = SERVICES.flatMap(({ hosts }) => hosts)
  .map((host) => host.replace(/^\./, '*.'))
  .join(', ')
