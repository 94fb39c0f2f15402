import type { KeyObject, X509Certificate } from 'node:crypto'
import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import { dayOf } from '../text/format.ts'
import { isBundleId } from './apple-names.ts'
import { bundleIdOf, environmentOf, openCertificateFile } from './certificate-file.ts'
import { badTopic, pemOf } from './credential.ts'
import type { ApnsCertificate, ApnsEnvironment } from './credential.ts'

/* Loaded on demand: node-forge would take 4 ms of every start. */

interface ApnsCertificateInput {
  /** PEM with certificate and key, or PKCS #12 (.p12, .pfx). */
  readonly bytes: Uint8Array
  readonly password?: string | undefined
  /** Default: the certificate's bundle id. */
  readonly topic?: string | undefined
  /** `'auto'`: as the certificate says; stays `'auto'` if that is both, or nothing. */
  readonly environment: ApnsEnvironment
  readonly now: number
}

export function readApnsCertificate(input: ApnsCertificateInput): ApnsCertificate | Problem {
  const file = openCertificateFile(input.bytes, input.password ?? '')
  if (file.kind === 'unreadable') {
    return problem('The certificate file cannot be read: expected PEM with certificate and key, or PKCS #12 (.p12).')
  }
  if (file.kind === 'wrong-password') return problem('The password does not open the certificate file.')
  if (file.certificates.length === 0) return problem('The certificate file holds no certificate.')
  if (file.keys.length === 0) {
    return problem('The certificate file holds no private key: export certificate and key together.')
  }
  const checked = file.certificates.flatMap((certificate) => {
    const key = file.keys.find((key) => certificate.checkPrivateKey(key))
    if (key === undefined) return []
    const others = file.certificates.filter((other) => other !== certificate)
    return [checkCertificate(input, certificate, others, key)]
  })
  // A keychain export may contain an expired certificate as well.
  const usable = checked.find((each) => each.kind === 'certificate')
  return usable ?? checked[0] ?? problem('The private key in the certificate file belongs to another certificate.')
}

function checkCertificate(
  { topic: stated, environment, now }: ApnsCertificateInput,
  certificate: X509Certificate,
  others: readonly X509Certificate[],
  key: KeyObject,
): ApnsCertificate | Problem {
  const from = certificate.validFromDate.getTime()
  const expiresAt = certificate.validToDate.getTime()
  if (now < from) return problem(`The certificate is not valid before ${dayOf(from)}.`)
  if (now > expiresAt) return problem(`The certificate expired on ${dayOf(expiresAt)}: renew it at Apple.`)
  const topic = stated ?? bundleIdOf(certificate)
  if (topic === null) {
    return problem('The certificate names no bundle id (UID of its subject): the topic must be given.')
  }
  if (!isBundleId(topic)) return badTopic()
  const own = environmentOf(certificate)
  if (environment !== 'auto' && own !== 'auto' && own !== environment) {
    return problem(`The certificate is for ${own} only: expected one for ${environment}.`)
  }
  return {
    kind: 'certificate',
    certificate: [certificate, ...others].map((each) => each.toString()).join(''),
    privateKey: pemOf(key),
    topic,
    environment: environment === 'auto' ? own : environment,
    expiresAt,
  }
}
