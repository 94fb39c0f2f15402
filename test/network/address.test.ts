import { describe, expect, test } from 'bun:test'
import { blockOf, networkOf, siteKey, siteOf, userKey } from '../../src/network/address.ts'

describe('the site of an address', () => {
  test.each(['2001:db8:0:1::1', '2001:db8::', '2001:0DB8:0000:ffff::1%eth0'])('is the /48 for IPv6: %s', (address) => {
    expect(siteOf(address)).toBe('2001:db8:0::/48')
    expect(siteKey(7, address)).toBe('7 2001:db8:0::/48')
  })

  test.each(['192.0.2.1', '::ffff:192.0.2.1', 'nonsense', ''])('is none for %j', (address) => {
    expect(siteOf(address)).toBeNull()
    expect(siteKey(7, address)).toBeNull()
  })

  test('is none for the backend', () => {
    expect(siteKey(7, null)).toBeNull()
  })
})

test.each([
  ['203.0.113.7', '203.0.113.0/24'],
  ['::ffff:203.0.113.7', '203.0.113.0/24'],
  ['2001:db8:0:1::1', '2001:db8:0::/48'],
  ['unknown', 'unknown'],
])('the block of %s is %s', (address, block) => {
  expect(blockOf(address)).toBe(block)
})

describe('the network an address stands for', () => {
  test('is the address itself for IPv4', () => {
    expect(networkOf('192.0.2.1')).toBe('192.0.2.1')
  })

  test.each([
    '::ffff:192.0.2.1',
    '::FFFF:192.0.2.1',
    '0:0:0:0:0:ffff:192.0.2.1',
    '::ffff:c000:201',
    '::ffff:192.0.2.1%1',
  ])('is the IPv4 address for IPv4-mapped IPv6: %s', (address) => {
    expect(networkOf(address)).toBe('192.0.2.1')
  })

  test.each([
    '2001:db8:0:1::1',
    '2001:db8:0:1:ffff:ffff:ffff:ffff',
    '2001:0DB8:0000:0001::',
    '2001:db8::1:0:0:0:2',
    '2001:db8:0:1::192.0.2.1',
    '2001:db8:0:1::1%eth0',
  ])('is the /64 for IPv6, in any spelling: %s', (address) => {
    expect(networkOf(address)).toBe('2001:db8:0:1::/64')
  })

  test.each([
    '2001:db8:0:2::1',
    '2001:db8:1:1::1',
    '2001:db9:0:1::1',
    '::1',
    'fe80::1',
    '::ffff:0:192.0.2.1',
    '1::ffff:c000:201',
  ])('is another one for another prefix: %s', (address) => {
    expect(networkOf(address)).not.toBe('2001:db8:0:1::/64')
    expect(networkOf(address)).toEndWith('::/64')
  })

  test.each(['', 'unknown', '1:2:3', '1::2::3', '12345::1', 'g::1', '1:2:3:4:5:6:7:8:9', '1:2:3:4::5:6:7:8', ':'])(
    'is the text itself where it is no address: %p',
    (text) => {
      expect(networkOf(text)).toBe(text)
    },
  )
})

describe('the key of a user', () => {
  test('differs between applications, addresses and the backend', () => {
    const keys = [
      userKey(1, null),
      userKey(2, null),
      userKey(1, '192.0.2.1'),
      userKey(1, '192.0.2.2'),
      userKey(2, '192.0.2.1'),
    ]
    expect(new Set(keys).size).toBe(keys.length)
  })

  test('is not the backend for an address that is not known', () => {
    expect(userKey(1, '')).not.toBe(userKey(1, null))
  })

  test('is one for all addresses of an IPv6 /64', () => {
    expect(userKey(1, '2001:db8::1')).toBe(userKey(1, '2001:db8::2'))
  })
})
