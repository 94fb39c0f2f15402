import { addressIn } from '../../network/special-networks.ts'

/** Hosts of the push services of Chrome, Firefox, Safari and Edge; one that begins with a dot stands for its subdomains. */
const KNOWN_HOSTS = ['fcm.googleapis.com', '.push.services.mozilla.com', '.push.apple.com', '.notify.windows.com']

/**
 * Where the browsers of the simulator have their endpoints. The name is one that nobody can have (RFC 6761, 6.4), so that
 * what is sent there by mistake reaches nobody.
 */
export const SIMULATED_SERVICE = 'https://simulator.invalid'

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

function isKnown(url: URL): boolean {
  if (url.port !== '' || addressIn(url) !== null) return false
  return KNOWN_HOSTS.some((known) => (known.startsWith('.') ? url.hostname.endsWith(known) : url.hostname === known))
}

const KNOWN_NAMES = KNOWN_HOSTS.map((known) => known.replace(/^\./, '*.')).join(', ')
