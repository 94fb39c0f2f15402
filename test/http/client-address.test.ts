import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createCallerOf, inNetworks } from '../../src/http/client-address.ts'

/** Calls from `peer` with this header; `strangers` hears what `onStranger` is told. */
function callerOf(trusted: readonly string[] | null, strangers: string[] = []) {
  const callerOf = createCallerOf({ trusted, onStranger: (peer) => strangers.push(peer) })
  return (peer: string, forwardedFor?: string, more: Record<string, string> = {}) =>
    callerOf(peer, new Headers({ ...more, ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }) }))
}

const OURS = ['127.0.0.1', '10.0.0.0/8', 'fd00::/8']

describe('behind a trusted proxy the caller', () => {
  const from = callerOf(OURS)

  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7, 10.1.1.1', '192.0.2.7'],
    ['192.0.2.7,10.1.1.1 , fd00::1', '192.0.2.7'],
    ['198.51.100.1, 192.0.2.7', '192.0.2.7'],
    ['10.0.0.9, 192.0.2.7, 10.1.1.1', '192.0.2.7'],
    ['2001:db8::7', '2001:db8::7'],
    ['192.0.2.7:51234', '192.0.2.7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['[2001:db8::7]:51234', '2001:db8::7'],
    ['::ffff:10.1.1.1', '::ffff:10.1.1.1'],
    ['192.0.2.7, ::ffff:10.1.1.1', '192.0.2.7'],
  ])('is the last address in X-Forwarded-For that is not a proxy: %p', (header, caller) => {
    expect(from('127.0.0.1', header)).toBe(caller)
  })

  test('is the first one where all are proxies: one of them calls itself', () => {
    expect(from('127.0.0.1', '10.0.0.5, 10.0.0.6')).toBe('10.0.0.5')
  })

  test('may have written what it likes before that: nobody reads it', () => {
    expect(from('127.0.0.1', 'gibberish, <script>, 192.0.2.7')).toBe('192.0.2.7')
    expect(from('127.0.0.1', '192.0.2.1, , 192.0.2.7')).toBe('192.0.2.7')
  })

  test.each(['', ',', 'unknown', '_hidden', '192.0.2', '192.0.2.7:', '192.0.2.999', '010.0.2.7', '[192.0.2.7]'])(
    'is the proxy where there stands no address: %p',
    (header) => {
      expect(from('127.0.0.1', header)).toBe('127.0.0.1')
      expect(from('127.0.0.1', `192.0.2.1, ${header}`)).toBe('127.0.0.1')
      expect(from('127.0.0.1', `${header}, 10.0.0.1`)).toBe('127.0.0.1')
    },
  )

  test('is the proxy where it sends no X-Forwarded-For, whatever else it sends', () => {
    const others = { forwarded: 'for=192.0.2.7', 'x-real-ip': '192.0.2.7' }
    expect(from('127.0.0.1', undefined, others)).toBe('127.0.0.1')
  })

  test('is found also when a dual-stack socket shows the proxy as IPv4-mapped IPv6', () => {
    expect(from('::ffff:127.0.0.1', '192.0.2.7')).toBe('192.0.2.7')
    expect(from('::ffff:7f00:1', '192.0.2.7')).toBe('192.0.2.7')
  })

  test('is told apart call by call', () => {
    expect(from('127.0.0.1', '192.0.2.7')).toBe('192.0.2.7')
    expect(from('203.0.113.9', '192.0.2.7')).toBe('203.0.113.9')
    expect(from('127.0.0.1', '192.0.2.8')).toBe('192.0.2.8')
    expect(from('', '192.0.2.8')).toBe('')
  })
})

const v4 = fc.ipV4()
const outside = v4.filter((address) => !inNetworks(OURS)(address))
const proxy = fc.oneof(
  fc.nat({ max: 0xff_ffff }).map((n) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`),
  fc.constant('127.0.0.1'),
)

describe('nobody can pass for somebody else', () => {
  test('whatever a caller forges, the address that the first trusted proxy saw is the one that counts', () => {
    const forged = fc.array(fc.oneof(v4, proxy, fc.ipV6(), fc.string({ unit: 'grapheme-ascii' })), { maxLength: 4 })
    fc.assert(
      fc.property(forged, outside, fc.array(proxy, { maxLength: 4 }), proxy, (written, caller, hops, peer) => {
        const header = [...written, caller, ...hops].join(', ')
        expect(callerOf(OURS)(peer, header)).toBe(caller)
      }),
    )
  })

  test('from a peer that is not trusted the header says nothing', () => {
    const anything = fc.oneof(v4, fc.string({ unit: 'grapheme-ascii' }))
    fc.assert(
      fc.property(outside, anything, (peer, header) => {
        expect(callerOf(OURS)(peer, header)).toBe(peer)
        expect(callerOf(null)(peer, header)).toBe(peer)
      }),
    )
  })
})

describe('a network', () => {
  test('holds the addresses that share its bits, and IPv4 also as IPv6', () => {
    fc.assert(
      fc.property(fc.nat({ max: 0xffff_ffff }), fc.integer({ min: 1, max: 32 }), v4, (number, bits, address) => {
        const dotted = (n: number) => [24, 16, 8, 0].map((shift) => (n >>> shift) & 255).join('.')
        const value = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
        const holds = inNetworks([`${dotted(number)}/${bits}`])
        expect(holds(address)).toBe(value >>> (32 - bits) === number >>> (32 - bits))
        expect(holds(`::ffff:${address}`)).toBe(holds(address))
      }),
    )
  })

  test('of no bits holds every address of its family', () => {
    expect(inNetworks(['0.0.0.0/0'])('192.0.2.1')).toBe(true)
    expect(inNetworks(['::/0'])('2001:db8::1')).toBe(true)
  })

  test('without bits is that one address', () => {
    expect(['192.0.2.1', '192.0.2.2'].map(inNetworks(['192.0.2.1']))).toEqual([true, false])
    expect(['2001:db8::1', '2001:db8::2', ''].map(inNetworks(['2001:db8:0::1']))).toEqual([true, false, false])
  })
})

describe('a proxy that nobody has named', () => {
  test('is told of once, when it is in a private network and speaks for others', () => {
    for (const trusted of [null, OURS]) {
      const strangers: string[] = []
      const from = callerOf(trusted, strangers)
      from('172.17.0.1')
      from('9.9.9.9', '192.0.2.7')
      expect(strangers).toEqual([])
      from('172.17.0.1', '192.0.2.7')
      from('172.17.0.1', '192.0.2.8')
      from('192.168.1.1', '192.0.2.8')
      expect(strangers).toEqual(['172.17.0.1'])
    }
  })
})
