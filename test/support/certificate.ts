import { generateKeyPairSync, sign } from 'node:crypto'
import forge from 'node-forge'

export interface TestCertificate {
  /** PEM. Self-signed, so it is its own authority: what `ca` takes. */
  readonly certificate: string
  /** PKCS #8, PEM. */
  readonly privateKey: string
}

/** A certificate for localhost and 127.0.0.1, valid from yesterday for a year unless `validTo` says otherwise. */
export function makeCertificate(options: { readonly name?: string; readonly validTo?: Date } = {}): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey)
  // Positive, and without a needless zero in front, which DER does not allow.
  certificate.serialNumber = `01${forge.util.bytesToHex(forge.random.getBytesSync(8))}`
  certificate.validity.notBefore = new Date(Date.now() - DAY_MS)
  certificate.validity.notAfter = options.validTo ?? new Date(Date.now() + 365 * DAY_MS)
  const name = [{ name: 'commonName', value: options.name ?? 'localhost' }]
  certificate.setSubject(name)
  certificate.setIssuer(name)
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true },
    {
      name: 'subjectAltName',
      altNames: [
        { type: 2, value: options.name ?? 'localhost' },
        { type: 7, ip: '127.0.0.1' },
      ],
    },
  ])
  // node-forge signs in JavaScript, which takes a hundred times as long.
  const bytes = () => Buffer.from(forge.asn1.toDer(certificate.tbsCertificate).getBytes(), 'binary')
  const native = { sign: () => sign('sha256', bytes(), privateKey).toString('binary') }
  certificate.sign(native as unknown as forge.pki.rsa.PrivateKey, forge.md.sha256.create())
  return { certificate: forge.pki.certificateToPem(certificate), privateKey }
}

const DAY_MS = 86_400_000
