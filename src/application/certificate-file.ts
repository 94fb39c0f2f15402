import forge from 'node-forge'
import { X509Certificate, createPrivateKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

export type CertificateFile =
  | { readonly kind: 'opened'; readonly certificates: readonly X509Certificate[]; readonly keys: readonly KeyObject[] }
  | { readonly kind: 'wrong-password' }
  | { readonly kind: 'unreadable' }

/** Reads PEM, or PKCS #12 (.p12, .pfx) of Keychain, OpenSSL or Windows. `password`: `''` is none. */
export function openCertificateFile(bytes: Uint8Array, password: string): CertificateFile {
  const content = Buffer.from(bytes).toString('latin1')
  return content.includes('-----BEGIN ') ? openPem(content, password) : openPkcs12(content, password)
}

/** `null`: the subject has no UID. */
export function bundleIdOf(certificate: X509Certificate): string | null {
  return /^UID=(.+)$/m.exec(certificate.subject)?.[1] ?? null
}

/** By Apple's extensions; `'auto'`: both or none. */
export function environmentOf(certificate: X509Certificate): 'auto' | 'production' | 'sandbox' {
  const sandbox = certificate.raw.includes(DEVELOPMENT_PUSH)
  const production = certificate.raw.includes(PRODUCTION_PUSH)
  if (sandbox === production) return 'auto'
  return sandbox ? 'sandbox' : 'production'
}

/** DER of 1.2.840.113635.100.6.3.1 and .2 (Apple, Worldwide Developer Relations certification practice statement). */
const DEVELOPMENT_PUSH = Buffer.from('060a2a864886f76364060301', 'hex')
const PRODUCTION_PUSH = Buffer.from('060a2a864886f76364060302', 'hex')

function openPem(text: string, password: string): CertificateFile {
  const blocks = text.match(/-----BEGIN ([A-Z0-9 ]+)-----[^]*?-----END \1-----/g) ?? []
  const certificates: X509Certificate[] = []
  const keys: KeyObject[] = []
  for (const block of blocks) {
    try {
      if (block.startsWith('-----BEGIN CERTIFICATE-----')) certificates.push(new X509Certificate(block))
      if (/^-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(block)) {
        keys.push(createPrivateKey({ key: block, passphrase: password }))
      }
    } catch {
      // OpenSSL's messages for a wrong password vary.
      return { kind: block.includes('ENCRYPTED') ? 'wrong-password' : 'unreadable' }
    }
  }
  return { kind: 'opened', certificates, keys }
}

function openPkcs12(content: string, password: string): CertificateFile {
  // Without a password, files use an empty one or none at all (RFC 7292, appendix B.1).
  const passwords = password === '' ? ['', undefined] : [password]
  let kind: 'wrong-password' | 'unreadable' = 'unreadable'
  for (const attempt of passwords) {
    try {
      const file = forge.pkcs12.pkcs12FromAsn1(forge.asn1.fromDer(content), false, attempt)
      const bags = file.safeContents.flatMap((contents) => contents.safeBags)
      return {
        kind: 'opened',
        certificates: bags.flatMap((bag) => certificateIn(bag)),
        keys: bags.flatMap((bag) => keyIn(bag)),
      }
    } catch (error) {
      const wrong = error instanceof Error && /MAC could not be verified|decrypt/i.test(error.message)
      kind = wrong ? 'wrong-password' : 'unreadable'
    }
  }
  return { kind }
}

/** forge parses RSA only; for other kinds the ASN.1 is enough. */
function certificateIn(bag: forge.pkcs12.Bag): X509Certificate[] {
  if (bag.type !== forge.pki.oids['certBag']) return []
  const body = forge.asn1.toDer(bag.cert ? forge.pki.certificateToAsn1(bag.cert) : bag.asn1).getBytes()
  return [new X509Certificate(Buffer.from(body, 'latin1'))]
}

function keyIn(bag: forge.pkcs12.Bag): KeyObject[] {
  if (bag.type !== forge.pki.oids['keyBag'] && bag.type !== forge.pki.oids['pkcs8ShroudedKeyBag']) return []
  return [createPrivateKey(bag.key ? forge.pki.privateKeyToPem(bag.key) : forge.pki.privateKeyInfoToPem(bag.asn1))]
}
