import { createPrivateKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import type { ProviderName } from '../platform.ts'
import { isAppleId, isBundleId } from './apple-names.ts'
import type { VapidCredential } from './vapid.ts'

export interface Credentials {
  readonly apns: ApnsCredential
  readonly fcm: FcmCredential
  readonly webpush: VapidCredential
}

export type Credential = Credentials[ProviderName]

/** A signing key for JSON web tokens, or a TLS client certificate. */
export type ApnsCredential = ApnsKey | ApnsCertificate

/** `'auto'`: production first, then sandbox, device by device. */
export type ApnsEnvironment = 'auto' | 'production' | 'sandbox'

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

export interface ApnsCertificate {
  readonly kind: 'certificate'
  /** PEM: the certificate first, then the file's other ones. */
  readonly certificate: string
  /** PKCS #8, PEM. */
  readonly privateKey: string
  readonly topic: string
  readonly environment: ApnsEnvironment
  readonly expiresAt: number
}

/** A Google service account. Without the file's `token_uri`, by which an upload could make this server call any host. */
export interface FcmCredential {
  readonly kind: 'service-account'
  readonly projectId: string
  readonly clientEmail: string
  /** PKCS #8, PEM. */
  readonly privateKey: string
  readonly privateKeyId: string
}

export type ApnsSummary = Omit<ApnsKey, 'privateKey'> | Omit<ApnsCertificate, 'privateKey' | 'certificate'>
export type FcmSummary = Omit<FcmCredential, 'privateKey'>

interface ApnsKeyInput {
  readonly p8: string
  readonly keyId: string
  readonly teamId: string
  readonly topic: string
  readonly environment: ApnsEnvironment
}

/** P-256 (Apple, "Establishing a token-based connection to APNs"). */
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

/** `text`: the JSON key file (Google Cloud, "Create and delete service account keys"). */
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

export function providerOf({ kind }: Pick<Credential, 'kind'>): ProviderName {
  if (kind === 'vapid') return 'webpush'
  return kind === 'service-account' ? 'fcm' : 'apns'
}

/** A new field is shown only if added here. */
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
    return null
  }
}

export function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' })
}

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text.trim())
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    // The parser's message may quote the key.
    return null
  }
}

export function badTopic(): Problem {
  return problem(
    'The topic is not a bundle id: expected letters, digits and hyphens, with periods between, as in com.example.app.',
  )
}
