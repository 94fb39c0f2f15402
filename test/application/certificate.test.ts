import { describe, expect, test } from 'bun:test'
import { X509Certificate, createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readApnsCertificate } from '../../src/application/apns-certificate.ts'
import { describeApns } from '../../src/application/credential.ts'
import { makeAppleCertificate, toPkcs12 } from './apple-certificate.ts'

const apple = makeAppleCertificate()
const NOW = Date.UTC(2026, 5, 1)

type Input = Parameters<typeof readApnsCertificate>[0]

function read(file: Uint8Array | string, options: Partial<Input> = {}) {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file
  return readApnsCertificate({ bytes, environment: 'auto', now: NOW, ...options })
}

function problem(text: string) {
  return { kind: 'problem' as const, problem: text }
}

describe('an APNs certificate', () => {
  const expected = {
    kind: 'certificate' as const,
    certificate: apple.certificate.replaceAll('\r\n', '\n'),
    privateKey: apple.privateKey,
    topic: 'com.example.app',
    environment: 'auto' as const,
    expiresAt: Date.UTC(2027, 0, 1),
  }

  test('is read from PEM, in either order', () => {
    expect(read(apple.certificate + apple.privateKey)).toEqual(expected)
    expect(read(`Bag Attributes\n  friendlyName: push\n${apple.privateKey}${apple.certificate}`)).toEqual(expected)
  })

  test('is read from PEM with an encrypted key', () => {
    const encrypted = createPrivateKey(apple.privateKey).export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'secret',
    })
    expect(read(apple.certificate + encrypted, { password: 'secret' })).toEqual(expected)
    for (const password of ['wrong', '', undefined]) {
      expect(read(apple.certificate + encrypted, { password })).toEqual(
        problem('The password does not open the certificate file.'),
      )
    }
  })

  test('is read from .p12, encrypted with 3DES or AES', () => {
    for (const algorithm of ['3des', 'aes256'] as const) {
      expect(read(toPkcs12(apple, 'secret', algorithm), { password: 'secret' })).toEqual(expected)
    }
  })

  test('is read from .p12 without a password, whether that was written as an empty one or as none', () => {
    expect(read(toPkcs12(apple, ''))).toEqual(expected)
    expect(read(toPkcs12(apple, undefined))).toEqual(expected)
    expect(read(toPkcs12(apple, undefined), { password: '' })).toEqual(expected)
  })

  // openssl pkcs12 -export -legacy: the certificate under RC2-40, the key under 3DES, as Keychain Access writes it.
  // openssl pkcs12 -export: AES-256 and SHA-256, here around an elliptic-curve key and an empty password.
  test.each([
    ['keychain.p12', 'secret', 'rsa'],
    ['openssl-ec.p12', '', 'ec'],
  ])('is read from the file %s', (name, password, type) => {
    const credential = read(readFileSync(join(import.meta.dir, name)), { password, now: Date.UTC(2030, 0, 1) })
    if (credential.kind === 'problem') throw new Error(credential.problem)
    const key = createPrivateKey(credential.privateKey)
    expect(key.asymmetricKeyType as string).toBe(type)
    expect(new X509Certificate(credential.certificate).checkPrivateKey(key)).toBe(true)
    expect(credential.topic).toBe('com.example.app')
  })

  test('with the wrong password is a problem', () => {
    const wrong = problem('The password does not open the certificate file.')
    expect(read(toPkcs12(apple, 'secret'), { password: 'Secret' })).toEqual(wrong)
    expect(read(toPkcs12(apple, 'secret'))).toEqual(wrong)
    expect(read(toPkcs12(apple, ''), { password: 'secret' })).toEqual(wrong)
  })

  test('in a file that is neither PEM nor .p12 is a problem', () => {
    const unreadable = problem(
      'The certificate file cannot be read: expected PEM with certificate and key, or PKCS #12 (.p12).',
    )
    const der = new X509Certificate(apple.certificate).raw
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
    for (const file of ['', 'hello', broken, der, toPkcs12(apple, '').subarray(0, 500)]) {
      expect(read(file)).toEqual(unreadable)
    }
  })

  test('without a private key is a problem', () => {
    expect(read(apple.certificate)).toEqual(
      problem('The certificate file holds no private key: export certificate and key together.'),
    )
  })

  test('that is missing beside its key is a problem', () => {
    expect(read(apple.privateKey)).toEqual(problem('The certificate file holds no certificate.'))
  })

  test('beside a key that is not its own is a problem', () => {
    for (const other of [
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    ]) {
      expect(read(apple.certificate + other.export({ type: 'pkcs8', format: 'pem' }))).toEqual(
        problem('The private key in the certificate file belongs to another certificate.'),
      )
    }
  })

  test('is good from its first to its last second', () => {
    const pem = apple.certificate + apple.privateKey
    const [first, last] = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)]
    expect(read(pem, { now: first }).kind).toBe('certificate')
    expect(read(pem, { now: last }).kind).toBe('certificate')
    expect(read(pem, { now: first - 1 })).toEqual(problem('The certificate is not valid before 2026-01-01.'))
    expect(read(pem, { now: last + 1 })).toEqual(problem('The certificate expired on 2027-01-01: renew it at Apple.'))
  })

  test('is preferred to the expired one beside it', () => {
    const old = makeAppleCertificate({ notBefore: Date.UTC(2025, 0, 1), notAfter: Date.UTC(2026, 0, 1) })
    const credential = read(old.certificate + apple.certificate + apple.privateKey)
    expect(credential).toMatchObject({ kind: 'certificate', expiresAt: Date.UTC(2027, 0, 1) })
  })

  test('comes first in what is sent to Apple, followed by the rest of the file', () => {
    const authority = readFileSync(join(import.meta.dir, 'openssl-ec.p12'))
    const other = read(authority, { now: Date.UTC(2030, 0, 1) })
    if (other.kind === 'problem') throw new Error(other.problem)
    const credential = read(other.certificate + apple.certificate + apple.privateKey)
    expect(credential).toEqual({ ...expected, certificate: expected.certificate + other.certificate })
  })

  test('has the topic that is given, else the bundle id of its subject', () => {
    const pem = apple.certificate + apple.privateKey
    expect(read(pem, { topic: 'com.example.app.voip' })).toEqual({ ...expected, topic: 'com.example.app.voip' })
    expect(read(pem, { topic: 'com example' })).toEqual(
      problem(
        'The topic is not a bundle id: expected letters, digits and hyphens, with periods between, as in com.example.app.',
      ),
    )
  })

  test('that names no bundle id needs a topic', () => {
    const nameless = makeAppleCertificate({ bundleId: null })
    const pem = nameless.certificate + nameless.privateKey
    expect(read(pem)).toEqual(
      problem('The certificate names no bundle id (UID of its subject): the topic must be given.'),
    )
    expect(read(pem, { topic: 'com.example.app' })).toMatchObject({ kind: 'certificate', topic: 'com.example.app' })
  })

  test.each([
    { carries: ['production', 'sandbox'], is: 'auto' },
    { carries: [], is: 'auto' },
    { carries: ['production'], is: 'production' },
    { carries: ['sandbox'], is: 'sandbox' },
  ] as const)("with Apple's marks for $carries is for $is", ({ carries, is }) => {
    const marked = makeAppleCertificate({ environments: carries })
    expect(read(marked.certificate + marked.privateKey)).toMatchObject({ kind: 'certificate', environment: is })
  })

  test('for both environments takes the one that is asked for', () => {
    for (const environment of ['production', 'sandbox'] as const) {
      expect(read(apple.certificate + apple.privateKey, { environment })).toEqual({ ...expected, environment })
    }
  })

  test('for development only is a problem where production is asked for', () => {
    const marked = makeAppleCertificate({ environments: ['sandbox'] })
    expect(read(marked.certificate + marked.privateKey, { environment: 'production' })).toEqual(
      problem('The certificate is for sandbox only: expected one for production.'),
    )
  })

  test('is described without its key', () => {
    expect(describeApns(expected)).toEqual({
      kind: 'certificate',
      topic: 'com.example.app',
      environment: 'auto',
      expiresAt: Date.UTC(2027, 0, 1),
    })
  })
})
