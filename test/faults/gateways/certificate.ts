import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import forge from 'node-forge'
import type { Pem } from '../../../src/gateway/simulator/certificate.ts'

const DAY_MS = 86_400_000

/**
 * A certificate for 127.0.0.1 that is its own authority, valid for a day from `now` (ms since the Unix epoch). Each
 * needs a name of its own: among authorities of one name only the first would be tried.
 */
export async function selfSigned(name: string, now: number): Promise<Pem> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey)
  certificate.serialNumber = '01'
  certificate.validity.notBefore = new Date(now - DAY_MS)
  certificate.validity.notAfter = new Date(now + DAY_MS)
  const subject = [{ name: 'commonName', value: name }]
  certificate.setSubject(subject)
  certificate.setIssuer(subject)
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true },
    { name: 'subjectAltName', altNames: [{ type: IP_ADDRESS, ip: '127.0.0.1' }] },
  ])
  certificate.sign(forge.pki.privateKeyFromPem(privateKey), forge.md.sha256.create())
  return { certificate: forge.pki.certificateToPem(certificate), privateKey }
}

/** RFC 5280, 4.2.1.6. */
const IP_ADDRESS = 7
