import { createHash, createPublicKey, generateKeyPair, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { readVapid } from '../../application/vapid.ts'
import type { VapidCredential } from '../../application/vapid.ts'
import type { Environment } from '../../device/device.ts'
import { parseJsonObject } from '../../text/json-object.ts'
import { makeRsaKeys } from './fcm/rsa-keys.ts'

export interface ApnsKey {
  readonly teamId: string
  readonly publicKey: KeyObject
  /** Bundle ids. */
  readonly topics: readonly string[]
  /** `null`: both. */
  readonly environment: Environment | null
}

interface ApnsCertificate {
  readonly topics: readonly string[]
  /** `null`: both. */
  readonly environment: Environment | null
}

export interface ServiceAccount {
  readonly clientEmail: string
  readonly projectId: string
  readonly publicKey: KeyObject
}

/** A credential the simulator is to let in beside those it issues. An `environment` left out means both. */
export type Acceptable =
  | {
      readonly kind: 'apns-key'
      /** PEM, of the private or the public key. */
      readonly key: string
      readonly keyId: string
      readonly teamId: string
      readonly topics: readonly string[]
      readonly environment?: Environment
    }
  | {
      readonly kind: 'apns-certificate'
      /** PEM. */
      readonly certificate: string
      readonly topics: readonly string[]
      readonly environment?: Environment
    }
  /** Google's JSON text. */
  | { readonly kind: 'service-account'; readonly serviceAccount: string }
  /** In base64url, as subscriptions are made with it. */
  | { readonly kind: 'vapid'; readonly publicKey: string }

/** What an application needs to send through the simulator. */
export interface IssuedCredentials {
  readonly apnsKey: { readonly p8: string; readonly keyId: string; readonly teamId: string; readonly topic: string }
  /** Google's JSON text. */
  readonly serviceAccount: string
  readonly vapid: VapidCredential
}

export interface KnownCredentials {
  apnsKey(keyId: string): ApnsKey | undefined
  /** By the SHA-256 fingerprint, `AB:CD:…`. */
  apnsCertificate(fingerprint: string): ApnsCertificate | undefined
  serviceAccount(clientEmail: string): ServiceAccount | undefined
  hasProject(projectId: string): boolean
  isVapidKey(publicKey: string): boolean
  accept(credential: Acceptable): void
  /** The same application always gets the same team, topic, project and subject. */
  issue(applicationId: string): IssuedCredentials
}

/** One P-256 key and one RSA key serve all applications; what differs is what they are registered for. */
export async function createKnownCredentials(rsaKeys = makeRsaKeys): Promise<KnownCredentials> {
  const [p256, rsa] = await Promise.all([
    promisify(generateKeyPair)('ec', { namedCurve: 'P-256', ...PEM_ENCODING }),
    rsaKeys(),
  ])
  const apnsKeys = new Map<string, ApnsKey>()
  const certificates = new Map<string, ApnsCertificate>()
  const accounts = new Map<string, ServiceAccount>()
  const projects = new Set<string>()
  const vapidKeys = new Set<string>()

  const accept = (credential: Acceptable): void => {
    switch (credential.kind) {
      case 'apns-key': {
        const { key, keyId, teamId, topics, environment = null } = credential
        apnsKeys.set(keyId, { teamId, topics, environment, publicKey: createPublicKey(key) })
        return
      }
      case 'apns-certificate': {
        const { certificate, topics, environment = null } = credential
        certificates.set(new X509Certificate(certificate).fingerprint256, { topics, environment })
        return
      }
      case 'service-account': {
        const account = readAccount(credential.serviceAccount)
        accounts.set(account.clientEmail, account)
        projects.add(account.projectId)
        return
      }
      case 'vapid':
        vapidKeys.add(credential.publicKey)
    }
  }

  return {
    apnsKey: (keyId) => apnsKeys.get(keyId),
    apnsCertificate: (fingerprint) => certificates.get(fingerprint),
    serviceAccount: (clientEmail) => accounts.get(clientEmail),
    hasProject: (projectId) => projects.has(projectId),
    isVapidKey: (publicKey) => vapidKeys.has(publicKey),
    accept,
    issue(applicationId) {
      const digest = digestOf(applicationId)
      const { topic, project, subject } = targetsOf(applicationId)
      const keyId = `K${digest.slice(0, 9).toUpperCase()}`
      const teamId = `T${digest.slice(0, 9).toUpperCase()}`
      const serviceAccount = describeAccount(project, digest.slice(0, 40), rsa.privateKey)
      accept({ kind: 'apns-key', key: p256.publicKey, keyId, teamId, topics: [topic] })
      accept({ kind: 'service-account', serviceAccount })
      const vapid = readVapid(p256.privateKey, subject)
      if (vapid.kind === 'problem') throw new Error(vapid.problem)
      accept(vapid)
      return { apnsKey: { p8: p256.privateKey, keyId, teamId, topic }, serviceAccount, vapid }
    },
  }
}

/** Where the notifications of an application go: the topic at APNs, the project at FCM; and who sends them to browsers. */
export function targetsOf(applicationId: string): {
  readonly topic: string
  readonly project: string
  readonly subject: string
} {
  const part = digestOf(applicationId).slice(0, 12)
  return { topic: `simulated.app-${part}`, project: `simulated-${part}`, subject: `mailto:${part}@simulated.example` }
}

function digestOf(applicationId: string): string {
  return createHash('sha256').update(applicationId).digest('hex')
}

const PEM_ENCODING = {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
} as const

function readAccount(text: string): ServiceAccount {
  const { client_email: clientEmail, project_id: projectId, private_key: key } = parseJsonObject(text) ?? {}
  if (typeof clientEmail !== 'string' || typeof projectId !== 'string' || typeof key !== 'string') {
    throw new TypeError('a service account has client_email, project_id and private_key')
  }
  return { clientEmail, projectId, publicKey: createPublicKey(key) }
}

/** The fields and their order are those of a key file from Google Cloud. */
function describeAccount(projectId: string, privateKeyId: string, privateKey: string): string {
  const clientEmail = `firebase-adminsdk@${projectId}.iam.gserviceaccount.com`
  return JSON.stringify(
    {
      type: 'service_account',
      project_id: projectId,
      private_key_id: privateKeyId,
      private_key: privateKey,
      client_email: clientEmail,
      client_id: '100000000000000000000',
      auth_uri: 'https://accounts.google.com/o/oauth2/auth',
      token_uri: 'https://oauth2.googleapis.com/token',
      auth_provider_x509_cert_url: 'https://www.googleapis.com/oauth2/v1/certs',
      client_x509_cert_url: `https://www.googleapis.com/robot/v1/metadata/x509/${encodeURIComponent(clientEmail)}`,
      universe_domain: 'googleapis.com',
    },
    null,
    2,
  )
}
