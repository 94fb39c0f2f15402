import { createPrivateKey, generateKeyPairSync, randomInt } from 'node:crypto'
import { DAY_MS } from '../../src/clock.ts'
import { signCertificate } from '../../src/gateway/simulator/certificate.ts'
import type { Pem } from '../../src/gateway/simulator/certificate.ts'

/**
 * A certificate for localhost and 127.0.0.1 that is its own authority (what `ca` takes), valid from yesterday for a year
 * unless `validTo` says otherwise. `name`: in place of localhost. `authority`: what it is called as such, default the same.
 * Of authorities of one name a client tries only the first: those that are trusted together need different ones.
 */
export function makeCertificate(
  options: { readonly name?: string; readonly authority?: string; readonly validTo?: Date } = {},
): Pem {
  const { name = 'localhost', authority = name, validTo } = options
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const subject = [{ name: 'commonName', value: authority }]
  const certificate = signCertificate({
    subject,
    issuer: subject,
    publicKey,
    signer: createPrivateKey(privateKey),
    serial: randomInt(2 ** 47),
    validFrom: Date.now() - DAY_MS,
    validTo: validTo?.getTime() ?? Date.now() + 365 * DAY_MS,
    extensions: [
      { name: 'basicConstraints', cA: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: DNS_NAME, value: name },
          { type: IP_ADDRESS, ip: '127.0.0.1' },
        ],
      },
    ],
  })
  return { certificate, privateKey }
}

/** RFC 5280, 4.2.1.6. */
const DNS_NAME = 2
const IP_ADDRESS = 7
