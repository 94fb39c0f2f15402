import { describe, expect, test } from 'bun:test'
import { createECDH, createPrivateKey, generateKeyPairSync } from 'node:crypto'
import {
  describeVapid,
  isRefusedByApple,
  isVapidSubject,
  makeVapid,
  nextVapid,
  readVapid,
  VAPID_SUBJECT,
} from '../../src/application/vapid.ts'

const SUBJECT = 'mailto:push@example.com'
/** Of RFC 8291, appendix A: the private key of the sender, and its public key. */
const PRIVATE = 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'
const PUBLIC = 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8'

const NO_KEY =
  'The key is neither a PEM private key nor 32 bytes in base64url, alone or as "privateKey" of a JSON object.'

describe('a VAPID key pair', () => {
  test('is made, each time another, and read again from its PEM', () => {
    const made = makeVapid(SUBJECT)
    expect(made.publicKey).toMatch(/^B[\w-]{86}$/)
    expect(makeVapid(SUBJECT).publicKey).not.toBe(made.publicKey)
    expect(readVapid(made.privateKey, SUBJECT)).toEqual(made)
    expect(createPrivateKey(made.privateKey).asymmetricKeyDetails?.namedCurve).toBe('prime256v1')
  })

  test.each([
    ['32 bytes in base64url', `${PRIVATE}\n`],
    ['what web-push prints as JSON', JSON.stringify({ publicKey: PUBLIC, privateKey: PRIVATE })],
  ])('is read from %s', (_, text) => {
    expect(readVapid(text, SUBJECT)).toMatchObject({ kind: 'vapid', publicKey: PUBLIC, subject: SUBJECT })
  })

  test('is read from a PEM of the older kind', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const read = readVapid(privateKey.export({ type: 'sec1', format: 'pem' }), SUBJECT)
    expect(read).toMatchObject({ kind: 'vapid', privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) })
  })

  test.each([
    ['nothing', ''],
    ['text', 'no key'],
    ['zero', 'A'.repeat(43)],
    ['the order of the curve', '_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE'],
    ['JSON without a key', '{"publicKey":"abc"}'],
    ['JSON with a key of another type', '{"privateKey":7}'],
    ['a public key', PUBLIC],
  ])('is not %s', (_, text) => {
    expect(readVapid(text, SUBJECT)).toEqual({ kind: 'problem', problem: NO_KEY })
  })

  test('is of P-256 only', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ type: 'pkcs8', format: 'pem' })
    const problem = 'The key is of kind secp384r1: expected elliptic curve P-256.'
    expect(readVapid(other, SUBJECT)).toEqual({ kind: 'problem', problem })
  })

  test('shows all but the private key', () => {
    expect(describeVapid(makeVapid(SUBJECT))).toEqual({
      kind: 'vapid',
      publicKey: expect.stringMatching(/^B/),
      subject: SUBJECT,
    })
  })

  test('has the point that its private key makes', () => {
    const read = readVapid(PRIVATE, SUBJECT)
    const pair = createECDH('prime256v1')
    pair.setPrivateKey(Buffer.from(PRIVATE, 'base64url'))
    expect('publicKey' in read && read.publicKey).toBe(pair.getPublicKey().toString('base64url'))
  })
})

describe('the subject of VAPID tokens', () => {
  test.each([
    'mailto:push@example.com',
    'https://example.com/contact',
    'https://example.com',
    'https://host.tailnet.ts.net',
    'mailto:push@localhost.example.com',
    'https://example.com:8443/test',
    'mailto:push@sub.test.example',
  ])('may be %s', (text) => {
    expect(isVapidSubject(text)).toBe(true)
    expect(isRefusedByApple(text)).toBe(false)
  })

  test.each(
    ['localhost', 'machine', 'app.localhost', 'printer.local', 'push.internal', 'shop.test', 'shop.invalid'].concat([
      'SHOP.LOCAL',
      'shop.local.',
      '127.0.0.1',
      '192.168.1.7',
      '203.0.113.7',
      '[::1]',
      '0x7f.1',
      '2130706433',
    ]),
  )('may not be at %s, which Apple refuses', (host) => {
    for (const subject of [`mailto:push@${host}`, `https://${host}`, `https://${host}/contact`]) {
      expect(isVapidSubject(subject)).toBe(false)
      expect(isRefusedByApple(subject)).toBe(true)
    }
    expect(isVapidSubject(`https://${host}:8443`)).toBe(false)
  })

  test('that Apple refuses is not stored with another key either, and stays where nothing changes', () => {
    const before = makeVapid('mailto:push@localhost')
    expect(nextVapid(before, { isNew: false })).toEqual(before)
    for (const wish of [{ isNew: true }, { isNew: false, key: PRIVATE }]) {
      expect(nextVapid(before, wish)).toEqual({
        kind: 'problem',
        problem: `The subject must be ${VAPID_SUBJECT}, not "mailto:push@localhost".`,
      })
    }
    expect(nextVapid(before, { subject: SUBJECT, isNew: false })).toMatchObject({ subject: SUBJECT })
  })

  test.each([
    '',
    'push@example.com',
    'mailto:',
    'mailto:push@localhost',
    'mailto:<push@example.com>',
    'mailto: push@example.com',
    'http://example.com',
    'https://me@example.com',
    'https://exa mple.com',
    `https://example.com/${'a'.repeat(320)}`,
  ])('may not be %p', (text) => {
    expect(isVapidSubject(text)).toBe(false)
  })
})
