import { addressIn } from '../../network/special-networks.ts'

/** Whose push service it is. `other`: one that the operator has named. */
export type PushServiceMaker = 'google' | 'mozilla' | 'apple' | 'microsoft' | 'other'

/**
 * Hosts of the push services of Chrome, Firefox, Safari and Edge; one that begins with a dot stands for its subdomains.
 * Chromium that was built without Google's keys, as Linux distributions build it, subscribes at jmt17.
 */
const MAKERS: readonly (readonly [host: string, maker: PushServiceMaker])[] = [
  ['fcm.googleapis.com', 'google'],
  ['jmt17.google.com', 'google'],
  ['.push.services.mozilla.com', 'mozilla'],
  ['.push.apple.com', 'apple'],
  ['.notify.windows.com', 'microsoft'],
]

const KNOWN_HOSTS = MAKERS.map(([host]) => host)

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
 * named. `named`: their origins, `https://host[:port]`.
 */
export function endpointProblem(endpoint: string, named: readonly string[]): string | null {
  const problem = endpointFormProblem(endpoint)
  if (problem !== null) return problem
  const url = new URL(endpoint)
  if (named.includes(url.origin) || isKnown(url)) return null
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

/** What a push service is called where names must be few: a known host for all its subdomains, else its host and port. */
export function serviceName(origin: string): string {
  const url = URL.parse(origin)
  if (url === null) return 'other'
  if (!isKnown(url)) return url.host
  return KNOWN_HOSTS.map((known) => known.replace(/^\./, '')).find((known) => url.hostname.endsWith(known)) ?? url.host
}

/** Whether the operator has named its push service, which may then be at any address. `endpoint`: one that has no problem. */
export function isNamed(endpoint: string, named: readonly string[]): boolean {
  return named.includes(new URL(endpoint).origin)
}

/** Whose push service an endpoint is of. Each has rules of its own beyond RFC 8030. */
export function pushServiceMaker({ hostname, pathname }: URL): PushServiceMaker {
  const [, maker] = MAKERS.find(([host]) => isHost(hostname, host)) ?? []
  if (maker !== undefined) return maker
  if (hostname !== SIMULATED_HOST) return 'other'
  return (PLAYED.exec(pathname)?.[1] as PushServiceMaker | undefined) ?? 'other'
}

const SIMULATED_HOST = new URL(SIMULATED_SERVICE).hostname

function isKnown(url: URL): boolean {
  if (url.port !== '' || addressIn(url) !== null) return false
  return KNOWN_HOSTS.some((known) => isHost(url.hostname, known))
}

function isHost(hostname: string, known: string): boolean {
  return known.startsWith('.') ? hostname.endsWith(known) : hostname === known
}

const KNOWN_NAMES = KNOWN_HOSTS.map((known) => known.replace(/^\./, '*.')).join(', ')
