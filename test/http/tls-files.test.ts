import { describe, expect, test } from 'bun:test'
import { createPrivateKey } from 'node:crypto'
import { readTlsFiles } from '../../src/http/tls-files.ts'
import type { ReadFile } from '../../src/system/read-file.ts'
import { makeCertificate } from '../support/certificate.ts'

const FILES = { certificate: '/etc/tls/fullchain.pem', key: '/etc/tls/privkey.pem' }
const own = makeCertificate()
const other = makeCertificate()

function read(certificate: string | null, key: string | null) {
  const files: Record<string, string | null> = { [FILES.certificate]: certificate, [FILES.key]: key }
  const readFile: ReadFile = (path) => {
    const text = files[path] ?? null
    if (text === null) return { kind: 'problem', problem: 'cannot be read: there is no such file' }
    return { kind: 'read', bytes: Buffer.from(text) }
  }
  return readTlsFiles(FILES, readFile)
}

describe('a certificate and its key', () => {
  test('are taken as they are, with the time of which they are good', () => {
    const pair = read(own.certificate, own.privateKey)
    expect(pair).toMatchObject({
      kind: 'pair',
      pair: { cert: own.certificate, key: own.privateKey },
      withoutChain: false,
    })
    if (pair.kind === 'pair') expect(pair.validTo - pair.validFrom).toBeGreaterThan(364 * 86_400_000)
  })

  test('may have text around them, and other certificates behind', () => {
    const chain = `Bag Attributes\n${own.certificate}\nissuer\n${other.certificate}`
    expect(read(chain, `comment\n${own.privateKey}`)).toMatchObject({ kind: 'pair', withoutChain: false })
  })
})

describe('what is wrong is said in a sentence that names the file', () => {
  const protection = { cipher: 'aes-256-cbc', passphrase: 'x' }
  const encrypted = createPrivateKey(own.privateKey).export({ type: 'pkcs8', format: 'pem', ...protection })

  test.each([
    [
      'no certificate file',
      null,
      own.privateKey,
      '--tls-cert (BELLHOP_TLS_CERT): the file /etc/tls/fullchain.pem cannot be read: there is no such file.',
    ],
    [
      'no key file',
      own.certificate,
      null,
      '--tls-key (BELLHOP_TLS_KEY): the file /etc/tls/privkey.pem cannot be read: there is no such file.',
    ],
    [
      'no PEM',
      'nonsense',
      own.privateKey,
      '--tls-cert (BELLHOP_TLS_CERT): /etc/tls/fullchain.pem holds no certificate in PEM.',
    ],
    [
      'a damaged certificate',
      own.certificate.replace(/\n.{64}\r?\n/, '\n'),
      own.privateKey,
      '--tls-cert (BELLHOP_TLS_CERT): /etc/tls/fullchain.pem holds no certificate in PEM.',
    ],
    [
      'the files the other way round',
      own.privateKey,
      own.certificate,
      '--tls-cert (BELLHOP_TLS_CERT): /etc/tls/fullchain.pem holds no certificate in PEM. It holds a private key: are the two files swapped?',
    ],
    [
      'no key',
      own.certificate,
      own.certificate,
      '--tls-key (BELLHOP_TLS_KEY): /etc/tls/privkey.pem holds no private key in PEM.',
    ],
    [
      'a key with a password',
      own.certificate,
      encrypted,
      '--tls-key (BELLHOP_TLS_KEY): the key in /etc/tls/privkey.pem has a password. Write it without: openssl pkey -in /etc/tls/privkey.pem -out NEW-FILE',
    ],
    [
      'the key of another certificate',
      own.certificate,
      other.privateKey,
      'The key in /etc/tls/privkey.pem does not belong to the certificate in /etc/tls/fullchain.pem, which has to come first.',
    ],
    [
      'the chain before the certificate',
      other.certificate + own.certificate,
      own.privateKey,
      'The key in /etc/tls/privkey.pem does not belong to the certificate in /etc/tls/fullchain.pem, which has to come first.',
    ],
  ] as const)('%s', (_, certificate, key, problem) => {
    expect(read(certificate, key)).toEqual({ kind: 'problem', problem })
  })
})
