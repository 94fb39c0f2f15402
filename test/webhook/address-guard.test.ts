import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { addressIn, isPublic } from '../../src/network/special-networks.ts'
import { readWebhookUrl, refusal } from '../../src/webhook/address-guard.ts'

describe('an address of the internet', () => {
  const yes = `
    8.8.8.8 1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255
    169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0
    223.255.255.255 2606:4700::1111 2001:200::1 2a00:1450:4001::200e 2003::1 ::ffff:8.8.8.8 64:ff9b::8.8.8.8
    64:ff9b::808:808`
  const no = `
    0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255 168.63.129.16
    169.254.169.254 172.16.0.0 172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.0 198.19.255.255
    198.51.100.7 203.0.113.7 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 0:0:0:0:0:0:0:1 ::7f00:1
    ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:a00:1 ::ffff:168.63.129.16 ::ffff:169.254.169.254 64:ff9b::10.0.0.1
    64:ff9b::7f00:1 64:ff9b:1::8.8.8.8 100::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:10::1 2001:db8::1
    2002:7f00:1::1 2002:808:808::1 3fff::1 5f00::1 fc00::1 fd12:3456::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1
    localhost 1.2.3 8.8.8.8.8 08.8.8.8 :::`
  const words = (text: string) => text.trim().split(/\s+/)

  test('is in no network for special use', () => {
    expect(words(yes).filter((address) => !isPublic(address))).toEqual([])
    expect(['', ...words(no)].filter(isPublic)).toEqual([])
  })

  test('is the same inside a mapped and a translated one', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(isPublic(`::ffff:${address}`)).toBe(isPublic(address))
        expect(isPublic(`64:ff9b::${address}`)).toBe(isPublic(address))
      }),
    )
  })
})

describe('a URL', () => {
  // URL parsing normalises all of these (url.spec.whatwg.org, "IPv4 parser").
  for (const [written, address] of [
    ['https://127.0.0.1/', '127.0.0.1'],
    ['https://127.1/', '127.0.0.1'],
    ['https://0x7f.0.0.1/', '127.0.0.1'],
    ['https://0x7f000001/', '127.0.0.1'],
    ['https://2130706433/', '127.0.0.1'],
    ['https://0177.0.0.01/', '127.0.0.1'],
    ['https://１２７.0.0.1/', '127.0.0.1'],
    ['https://0/', '0.0.0.0'],
    ['https://[::1]/', '::1'],
    ['https://[0:0::0:1]/', '::1'],
    ['https://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['https://[::ffff:a9fe:a9fe]/', '::ffff:a9fe:a9fe'],
    ['https://0xa9fea9fe/', '169.254.169.254'],
  ] as const) {
    test(`${written} is at ${address}, which is refused`, () => {
      const url = new URL(written)
      expect(addressIn(url)).toBe(address)
      expect(refusal(url, [address], false)).toBe('private address')
      expect(refusal(url, [address], true)).toBeNull()
    })
  }

  test('with a name has no address of its own', () => {
    expect(addressIn(new URL('https://example.com/'))).toBeNull()
    expect(addressIn(new URL('https://localhost/'))).toBeNull()
  })

  test('is refused when any address of its name is private', () => {
    const url = new URL('https://example.com/')
    expect(refusal(url, ['8.8.8.8', '2606:4700::1'], false)).toBeNull()
    expect(refusal(url, ['8.8.8.8', '10.0.0.1'], false)).toBe('private address')
    expect(refusal(url, ['8.8.8.8', '::1'], false)).toBe('private address')
    expect(refusal(url, [], true)).toBe('no address')
  })

  test('without TLS is for addresses none of which is public', () => {
    const url = new URL('http://hooks.internal/')
    expect(refusal(url, ['10.0.0.1'], true)).toBeNull()
    expect(refusal(url, ['10.0.0.1'], false)).toBe('private address')
    expect(refusal(url, ['8.8.8.8'], true)).toBe('http to a public address')
    expect(refusal(url, ['10.0.0.1', '8.8.8.8'], true)).toBe('http to a public address')
  })

  const form = 'an https address without user and fragment, such as https://example.com/hooks'
  for (const [text, expected] of [
    ['', form],
    ['example.com/hooks', form],
    ['ftp://example.com/', form],
    ['https://user:password@example.com/', form],
    ['https://user@example.com/', form],
    ['https://example.com/#part', form],
    ['http://8.8.8.8/', 'https: http is for private addresses only'],
    ['http://[2606:4700::1]/', 'https: http is for private addresses only'],
  ] as const) {
    test(`that is no webhook: ${JSON.stringify(text)}`, () => expect(readWebhookUrl(text)).toEqual({ expected }))
  }

  for (const text of ['https://example.com/a?b=c', 'https://10.0.0.1:8443/', 'http://127.0.0.1:1/', 'http://hooks/']) {
    test(`that can be one: ${text}`, () => expect(readWebhookUrl(text)).toEqual(new URL(text)))
  }
})
