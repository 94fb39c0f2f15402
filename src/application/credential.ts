import { createPrivateKey } from 'node:crypto'
import type { KeyObject, X509Certificate } from 'node:crypto'
import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import { dayOf } from '../text/format.ts'
import { isAppleId, isBundleId } from './apple-names.ts'
import type { VapidCredential } from './vapid.ts'
import { bundleIdOf, environmentOf, openCertificateFile } from './certificate-file.ts'

/** By what an application is known to the gateways of one kind. */
export type Credential = ApnsCredential | FcmCredential | VapidCredential

export type CredentialProvider = 'apns' | 'fcm' | 'webpush'

/** What APNs knows an application by: a signing key (JSON web tokens), or a TLS client certificate. */
export type ApnsCredential = ApnsKey | ApnsCertificate

/** `'auto'`: production is tried first, then sandbox, device by device. */
type ApnsEnvironment = 'auto' | 'production' | 'sandbox'

interface ApnsKey {
  readonly kind: 'key'
  /** PKCS #8, PEM. */
  readonly privateKey: string
  readonly keyId: string
  readonly teamId: string
  /** The bundle id of the app: `apns-topic`. */
  readonly topic: string
  readonly environment: ApnsEnvironment
}

interface ApnsCertificate {
  readonly kind: 'certificate'
  /** PEM: the certificate first, then what else the file held. */
  readonly certificate: string
  /** PKCS #8, PEM. */
  readonly privateKey: string
  readonly topic: string
  readonly environment: ApnsEnvironment
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number
}

/**
 * A Google service account. The `token_uri` of its file is left out on purpose: the token address is pinned, since
 * an address taken from an upload would let whoever uploads it make this server call any host (SSRF).
 */
export interface FcmCredential {
  readonly kind: 'service-account'
  readonly projectId: string
  readonly clientEmail: string
  /** PKCS #8, PEM. */
  readonly privateKey: string
  readonly privateKeyId: string
}

/** What may be shown of a credential. */
export type ApnsSummary = Omit<ApnsKey, 'privateKey'> | Omit<ApnsCertificate, 'privateKey' | 'certificate'>
export type FcmSummary = Omit<FcmCredential, 'privateKey'>

interface ApnsKeyInput {
  /** The text of the .p8 file. */
  readonly p8: string
  readonly keyId: string
  readonly teamId: string
  readonly topic: string
  readonly environment: ApnsEnvironment
}

interface ApnsCertificateInput {
  /** The file: PEM with certificate and key, or PKCS #12 (.p12, .pfx). */
  readonly bytes: Uint8Array
  /** Default none, which is the same as empty. */
  readonly password?: string | undefined
  /** Default: the bundle id the certificate was made for. */
  readonly topic?: string | undefined
  /** `'auto'`: what the certificate says; it stays `'auto'` when that is both, or nothing. */
  readonly environment: ApnsEnvironment
  /** Milliseconds since the Unix epoch. */
  readonly now: number
}

/** Checks an APNs signing key: P-256 (Apple, "Establishing a token-based connection to APNs"). */
export function readApnsKey({ p8, keyId, teamId, topic, environment }: ApnsKeyInput): ApnsKey | Problem {
  const key = privateKeyOf(p8)
  if (key === null) {
    return problem(
      'The APNs key is not a PEM private key: expected the .p8 file from Apple, -----BEGIN PRIVATE KEY-----.',
    )
  }
  const curve = key.asymmetricKeyDetails?.namedCurve
  if (curve !== 'prime256v1') {
    return problem(
      `The APNs key is of kind ${curve ?? key.asymmetricKeyType}: expected elliptic curve P-256, as in Apple's .p8 file.`,
    )
  }
  if (!isAppleId(keyId)) return problem('The key id is not 10 characters of A-Z and 0-9.')
  if (!isAppleId(teamId)) return problem('The team id is not 10 characters of A-Z and 0-9.')
  if (!isBundleId(topic)) return badTopic()
  return { kind: 'key', privateKey: pemOf(key), keyId, teamId, topic, environment }
}

/** Checks an APNs client certificate and its key, at the time `now`. */
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
  // A keychain export may hold last year's certificate beside this year's.
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

/** Checks the text of a service account's JSON key file (Google Cloud, "Create and delete service account keys"). */
export function readServiceAccount(text: string): FcmCredential | Problem {
  const account = objectIn(text)
  if (account === null) return problem('The service account is not a JSON object.')
  const field = (name: string): string => {
    const value = account[name]
    return typeof value === 'string' ? value : ''
  }
  if (field('type') !== 'service_account') {
    return problem('The file is not a service account key: expected "type": "service_account".')
  }
  const missing = ['project_id', 'client_email', 'private_key', 'private_key_id'].filter((name) => field(name) === '')
  if (missing.length > 0) return problem(`The service account lacks ${missing.join(', ')}.`)
  if (!/^[a-z0-9-]{4,30}$/.test(field('project_id'))) {
    return problem('The project_id of the service account is not 4 to 30 characters of a-z, 0-9 and hyphen.')
  }
  if (!/^[^\s@]+@[^\s@]+$/.test(field('client_email'))) {
    return problem('The client_email of the service account is not an e-mail address.')
  }
  const key = privateKeyOf(field('private_key'))
  // RS256 asks for 2048 bits (RFC 7518, 3.3).
  if (key?.asymmetricKeyType !== 'rsa' || (key.asymmetricKeyDetails?.modulusLength ?? 0) < 2048) {
    return problem('The private_key of the service account is not an RSA private key of 2048 bits or more in PEM.')
  }
  return {
    kind: 'service-account',
    projectId: field('project_id'),
    clientEmail: field('client_email'),
    privateKey: pemOf(key),
    privateKeyId: field('private_key_id'),
  }
}

/** Which gateways a credential is for. */
export function providerOf({ kind }: Pick<Credential, 'kind'>): CredentialProvider {
  if (kind === 'vapid') return 'webpush'
  return kind === 'service-account' ? 'fcm' : 'apns'
}

/** Field by field, so that what is added to a credential is not shown unless someone says so here. */
export function describeApns(credential: ApnsCredential): ApnsSummary {
  if (credential.kind === 'key') {
    const { kind, keyId, teamId, topic, environment } = credential
    return { kind, keyId, teamId, topic, environment }
  }
  const { kind, topic, environment, expiresAt } = credential
  return { kind, topic, environment, expiresAt }
}

export function describeFcm({ kind, projectId, clientEmail, privateKeyId }: FcmCredential): FcmSummary {
  return { kind, projectId, clientEmail, privateKeyId }
}

function privateKeyOf(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem.trim())
  } catch {
    // Whatever OpenSSL finds wrong with it, the operator can only give another file.
    return null
  }
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' })
}

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text.trim())
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    // The parser's own message may quote the file, and with it the key.
    return null
  }
}

function badTopic(): Problem {
  return problem(
    'The topic is not a bundle id: expected letters, digits and hyphens, with periods between, as in com.example.app.',
  )
}
