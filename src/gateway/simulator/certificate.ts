import forge from 'node-forge'
import { createPrivateKey, createPublicKey, generateKeyPair, sign as signBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { DAY_MS } from '../../clock.ts'
import type { Environment } from '../../device/device.ts'

export interface Pem {
  readonly certificate: string
  /** PKCS #8. */
  readonly privateKey: string
}

/** PEM: SPKI and PKCS #8. */
export interface RsaKeys {
  readonly publicKey: string
  readonly privateKey: string
}

/** 2048 bits. Takes 0.1 s or more. */
export async function makeRsaKeys(): Promise<RsaKeys> {
  return await promisify(generateKeyPair)('rsa', { modulusLength: 2048, ...PEM_ENCODING })
}

export const PEM_ENCODING = {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
} as const

/** Clients must trust its `ca` (PEM). */
export type Authority = Awaited<ReturnType<typeof createAuthority>>

/**
 * RSA: node-forge knows nothing else. Valid from a day before `now` to ten years after it, in ms since the Unix epoch
 * by the machine's clock, which TLS uses.
 */
export async function createAuthority(now: number, rsaKeys = makeRsaKeys) {
  const [authorityKey, leafKey] = await Promise.all([rsaKeys(), rsaKeys()])
  const signer = createPrivateKey(authorityKey.privateKey)
  let serial = now

  const sign = (subject: readonly Attribute[], publicKey: string, extensions: readonly object[]): string =>
    signCertificate({
      subject,
      issuer: [AUTHORITY_NAME],
      publicKey,
      signer,
      serial: serial++,
      validFrom: now - DAY_MS,
      validTo: now + 3652 * DAY_MS,
      extensions,
    })

  const ca = sign([AUTHORITY_NAME], authorityKey.publicKey, [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
  ])
  const server = sign([{ name: 'commonName', value: 'localhost' }], leafKey.publicKey, [
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
    { name: 'extKeyUsage', serverAuth: true },
    { name: 'subjectAltName', altNames: [DNS_LOCALHOST, { type: IP, ip: '127.0.0.1' }, { type: IP, ip: '::1' }] },
  ])
  return {
    ca,
    /** For localhost, 127.0.0.1 and ::1. */
    server: { certificate: server + ca, privateKey: leafKey.privateKey },
    /** Like Apple's: the topic as the subject's UID, the environments as extensions. */
    issueClient(topic: string, environment: Environment | null): Pem {
      const certificate = sign(
        [
          { type: USER_ID, value: topic },
          { name: 'commonName', value: `Apple Push Services: ${topic}` },
        ],
        leafKey.publicKey,
        [
          { name: 'keyUsage', digitalSignature: true, critical: true },
          { name: 'extKeyUsage', clientAuth: true },
          ...(environment === 'production' ? [] : [{ id: DEVELOPMENT_PUSH, value: NULL_DER }]),
          ...(environment === 'sandbox' ? [] : [{ id: PRODUCTION_PUSH, value: NULL_DER }]),
        ],
      )
      return { certificate, privateKey: leafKey.privateKey }
    },
  }
}

interface CertificateTerms {
  readonly subject: readonly Attribute[]
  readonly issuer: readonly Attribute[]
  readonly publicKey: string
  readonly signer: KeyObject
  readonly serial: number
  readonly validFrom: number
  readonly validTo: number
  readonly extensions: readonly object[]
}

/** PEM, with SHA-256 and RSA. */
export function signCertificate(terms: CertificateTerms): string {
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = publicKeyOf(terms.publicKey)
  certificate.serialNumber = positiveHex(terms.serial)
  certificate.validity.notBefore = new Date(terms.validFrom)
  certificate.validity.notAfter = new Date(terms.validTo)
  certificate.setSubject([...terms.subject])
  certificate.setIssuer([...terms.issuer])
  certificate.setExtensions([...terms.extensions])
  // node-forge's own signing takes a hundred times as long.
  const native = {
    sign: () => signBytes('sha256', bytesOf(certificate.tbsCertificate), terms.signer).toString('binary'),
  }
  certificate.sign(native as unknown as forge.pki.rsa.PrivateKey, forge.md.sha256.create())
  return forge.pki.certificateToPem(certificate)
}

type Attribute = { readonly name: string; readonly value: string } | { readonly type: string; readonly value: string }

const AUTHORITY_NAME = { name: 'commonName', value: 'Bellhop simulator' }
/** Subject alternative names (RFC 5280, 4.2.1.6). */
const IP = 7
const DNS_LOCALHOST = { type: 2, value: 'localhost' }
/** RFC 4519, 2.39. */
const USER_ID = '0.9.2342.19200300.100.1.1'
/** Environments of a push certificate (Apple, Worldwide Developer Relations certification practice statement). */
const DEVELOPMENT_PUSH = '1.2.840.113635.100.6.3.1'
const PRODUCTION_PUSH = '1.2.840.113635.100.6.3.2'
const NULL_DER = '\x05\x00'

/** From DER: node-forge reads PEM slowly. */
function publicKeyOf(pem: string): forge.pki.PublicKey {
  const der = createPublicKey(pem).export({ type: 'spki', format: 'der' })
  return forge.pki.publicKeyFromAsn1(forge.asn1.fromDer(der.toString('binary')))
}

function bytesOf(asn1: forge.asn1.Asn1): Buffer {
  return Buffer.from(forge.asn1.toDer(asn1).getBytes(), 'binary')
}

/** A leading zero keeps the DER integer positive. */
function positiveHex(serial: number): string {
  const hex = serial.toString(16)
  return hex.length % 2 === 0 ? `00${hex}` : `0${hex}`
}
