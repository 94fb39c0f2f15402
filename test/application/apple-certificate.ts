import { generateKeyPairSync } from 'node:crypto'
import forge from 'node-forge'

export interface AppleCertificate {
  /** PEM. */
  readonly certificate: string
  /** PKCS #8, PEM. */
  readonly privateKey: string
}

interface Options {
  /** UID of the subject. Default com.example.app, `null` for none. */
  readonly bundleId?: string | null
  /** Which of Apple's push extensions it carries. Default both. */
  readonly environments?: readonly ('production' | 'sandbox')[]
  /** Milliseconds since the Unix epoch. Default the year 2026. */
  readonly notBefore?: number
  readonly notAfter?: number
}

/** One key for all: making one is the slow part. */
const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})

/** A client certificate with the marks Apple puts on those for push, signed by itself. */
export function makeAppleCertificate(options: Options = {}): AppleCertificate {
  const { bundleId = 'com.example.app', environments = ['production', 'sandbox'] } = options
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.publicKeyFromPem(keys.publicKey)
  certificate.serialNumber = '01'
  certificate.validity.notBefore = new Date(options.notBefore ?? Date.UTC(2026, 0, 1))
  certificate.validity.notAfter = new Date(options.notAfter ?? Date.UTC(2027, 0, 1))
  const userId = bundleId === null ? [] : [{ type: '0.9.2342.19200300.100.1.1', value: bundleId }]
  certificate.setSubject([...userId, { name: 'commonName', value: 'Apple Push Services' }])
  certificate.setIssuer([{ name: 'commonName', value: 'Test authority' }])
  certificate.setExtensions(environments.map((environment) => ({ id: EXTENSIONS[environment], value: ASN1_NULL })))
  certificate.sign(forge.pki.privateKeyFromPem(keys.privateKey), forge.md.sha256.create())
  return { certificate: forge.pki.certificateToPem(certificate), privateKey: keys.privateKey }
}

const EXTENSIONS = { sandbox: '1.2.840.113635.100.6.3.1', production: '1.2.840.113635.100.6.3.2' }
const ASN1_NULL = '\u0005\u0000'

/** The same in a .p12 file. `undefined` is no password at all, which differs from an empty one. */
export function toPkcs12(
  { certificate, privateKey }: AppleCertificate,
  password: string | undefined,
  algorithm: '3des' | 'aes256' = '3des',
): Uint8Array {
  const file = forge.pkcs12.toPkcs12Asn1(
    forge.pki.privateKeyFromPem(privateKey),
    [forge.pki.certificateFromPem(certificate)],
    // forge takes `undefined`; its types do not say so.
    password as string,
    { algorithm },
  )
  return Buffer.from(forge.asn1.toDer(file).getBytes(), 'latin1')
}
