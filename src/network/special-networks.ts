import { isIPv4, isIPv6 } from 'node:net'
import { groupsOf } from './address.ts'

/**
 * Outside the internet: IANA's registry of special-purpose addresses (RFC 6890), multicast (RFC 5771) and reserved
 * blocks (RFC 1112).
 */
const SPECIAL_IPV4: readonly (readonly [network: string, bits: number])[] = [
  ['0.0.0.0', 8], // this host: Linux connects to loopback
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // behind a carrier's NAT
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // Azure's own services (learn.microsoft.com, "What is IP address 168.63.129.16?")
  ['169.254.0.0', 16], // link-local: where clouds keep their metadata
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3], // multicast, reserved, broadcast
]
/**
 * An address on the public internet, not this host or a network around it. IPv6: global unicast (2000::/3) without
 * blocks that lead elsewhere. An IPv4 address inside (mapped, or behind NAT64) counts as itself.
 */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) {
    const number = numberOf(address)
    return !SPECIAL_IPV4.some(([network, bits]) => number >>> (32 - bits) === numberOf(network) >>> (32 - bits))
  }
  const groups = groupsOf(address)
  if (groups === null) return false
  const [first = 0, second = 0, , , , sixth = 0, high = 0, low = 0] = groups
  const zeros = (from: number, to: number) => groups.slice(from, to).every((group) => group === 0)
  const mapped = zeros(0, 5) && sixth === 0xffff
  const translated = first === 0x64 && second === 0xff9b && zeros(2, 6) // RFC 6052, 2.1
  if (mapped || translated) return isPublic(`${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`)
  if (first >> 13 !== 1) return false
  const protocols = first === 0x2001 && second < 0x200 // 2001::/23, Teredo among them
  const documentation = (first === 0x2001 && second === 0xdb8) || (first === 0x3fff && second < 0x1000)
  const sixToFour = first === 0x2002
  return !(protocols || documentation || sixToFour)
}

/** A URL's `hostname` has brackets around an IPv6 address (url.spec.whatwg.org, 3.5). */
export function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

/** `null`: the host is a name. Without brackets. */
export function addressIn({ hostname }: URL): string | null {
  const host = withoutBrackets(hostname)
  return isIPv4(host) || isIPv6(host) ? host : null
}

function numberOf(address: string): number {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
}
