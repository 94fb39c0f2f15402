import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'
import { isPublic } from '../network/special-networks.ts'

export type CallerOf = (peer: string, headers: Pick<Headers, 'get'>) => string

interface Options {
  /** `null`: none. */
  readonly trusted: readonly string[] | null
  /** Called once, with an untrusted peer in a private network that sends X-Forwarded-For. */
  readonly onStranger: (peer: string) => void
}

/**
 * The peer, or behind a trusted proxy the last address in X-Forwarded-For that is not a proxy's: earlier ones are
 * unproven. `Forwarded` (RFC 7239) is not read: a proxy that sets one header passes the other on from callers.
 */
export function createCallerOf({ trusted, onStranger }: Options): CallerOf {
  const isTrusted = trusted === null ? () => false : inNetworks(trusted)
  let last = { peer: '', trusted: false }
  let told = false

  return (peer, headers) => {
    if (trusted !== null && peer !== last.peer) last = { peer, trusted: isTrusted(peer) }
    if (trusted === null || !last.trusted) {
      if (!told && headers.get('x-forwarded-for') !== null && isIP(peer) !== 0 && !isPublic(peer)) {
        told = true
        onStranger(peer)
      }
      return peer
    }
    const header = headers.get('x-forwarded-for')
    return (header === null ? null : forwardedFor(header, isTrusted)) ?? peer
  }
}

/** An IPv4-mapped IPv6 address counts as IPv4. */
export function inNetworks(list: readonly string[]): (address: string) => boolean {
  const all = new BlockList()
  for (const network of list) {
    const [ip = '', bits] = network.split('/')
    const family = isIPv4(ip) ? 'ipv4' : 'ipv6'
    all.addSubnet(ip, Number(bits ?? (family === 'ipv4' ? 32 : 128)), family)
  }
  return (address) => all.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

/** The last untrusted address, or the first if all are trusted; `null`: the header is malformed there. */
function forwardedFor(header: string, isTrusted: (address: string) => boolean): string | null {
  for (let end = header.length; ;) {
    const comma = header.lastIndexOf(',', end - 1)
    const address = addressIn(header.slice(comma + 1, end).trim())
    if (address === null || comma === -1 || !isTrusted(address)) return address
    end = comma
  }
}

/** Some proxies add the port: `192.0.2.1:443`, `[2001:db8::1]:443`. */
function addressIn(text: string): string | null {
  if (isIP(text) !== 0) return text
  const { v4 = '', v6 = '' } = /^(?:(?<v4>[\d.]+):\d{1,5}|\[(?<v6>[^\]]+)\](?::\d{1,5})?)$/.exec(text)?.groups ?? {}
  if (isIPv4(v4)) return v4
  return isIPv6(v6) ? v6 : null
}
