/** One user of an application: its backend (`address` `null`) or a network. */
export function userKey(application: number, address: string | null): string {
  return address === null ? `${application}` : `${application} ${networkOf(address)}`
}

/** All users of an application at one site; `null`: no site. */
export function siteKey(application: number, address: string | null): string | null {
  const site = address === null ? null : siteOf(address)
  return site === null ? null : `${application} ${site}`
}

/**
 * The part of an address that stands for one user. IPv6: the first 64 bits, since a customer has 2^64 addresses behind
 * them (RFC 6177). IPv4-mapped IPv6 (RFC 4291, 2.5.5.2) counts as IPv4, because a dual-stack socket shows IPv4 callers
 * that way. Other text stays.
 */
export function networkOf(address: string): string {
  const groups = address.includes(':') ? groupsOf(address) : null
  if (groups === null) return address
  return mappedOf(groups) ?? prefixOf(groups, 64)
}

/** A site may do this many times as much as one of its networks. */
export const SITE_SHARE = 16

/** The first 48 bits of IPv6: a customer may have 65,536 networks (RFC 6177). `null`: not IPv6. */
export function siteOf(address: string): string | null {
  const groups = address.includes(':') ? groupsOf(address) : null
  return groups === null || mappedOf(groups) !== null ? null : prefixOf(groups, 48)
}

/** One person easily has a block of addresses: a /24 of IPv4, a /48 of IPv6. Other text stays. */
export function blockOf(address: string): string {
  return siteOf(address) ?? networkOf(address).replace(/^(\d+\.\d+\.\d+)\.\d+$/, '$1.0/24')
}

function mappedOf(groups: readonly number[]): string | null {
  const [, , , , , sixth, high = 0, low = 0] = groups
  if (sixth !== 0xffff || groups.slice(0, 5).some((group) => group !== 0)) return null
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}

function prefixOf(groups: readonly number[], bits: 48 | 64): string {
  const prefix = groups.slice(0, bits / 16).map((group) => group.toString(16))
  return `${prefix.join(':')}::/${bits}`
}

/** Eight groups of 16 bits, from any spelling of IPv6 (RFC 4291, 2.2); `null`: other text. */
export function groupsOf(address: string): number[] | null {
  const zone = address.indexOf('%')
  const [head = '', tail, more] = (zone === -1 ? address : address.slice(0, zone)).split('::')
  if (more !== undefined) return null
  const before = groupsIn(head)
  if (tail === undefined) return before?.length === 8 ? before : null
  const after = groupsIn(tail)
  if (before === null || after === null || before.length + after.length > 7) return null
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0)
  return [...before, ...zeros, ...after]
}

function groupsIn(text: string): number[] | null {
  if (text === '') return []
  const groups: number[] = []
  for (const part of text.split(':')) {
    const dotted = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(part)?.slice(1).map(Number)
    if (dotted !== undefined) {
      const [a = 0, b = 0, c = 0, d = 0] = dotted
      groups.push(a * 256 + b, c * 256 + d)
    } else if (/^[\da-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16))
    else return null
  }
  return groups
}
