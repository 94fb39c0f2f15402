import { createHash, createPublicKey, generateKeyPair, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { readVapid } from '../../application/vapid.ts'
import type { VapidCredential } from '../../application/vapid.ts'
import type { Environment } from '../../device/device.ts'
import { parseJsonObject } from '../../text/json-object.ts'
import { makeRsaKeys, PEM_ENCODING } from './certificate.ts'

export interface ApnsKey {
  readonly teamId: string
  readonly publicKey: KeyObject
  /** Bundle ids. */
  readonly topics: readonly string[]
  /** `null`: both. */
  readonly environment: Environment | null
}

type ApnsCertificate = Pick<ApnsKey, 'topics' | 'environment'>

export interface ServiceAccount {
  readonly clientEmail: string
  readonly projectId: string
  readonly publicKey: KeyObject
}

/** Accepted besides the issued ones. Default for `environment`: both. */
export type Acceptable =
  | {
      readonly kind: 'apns-key'
      /** PEM, private or public. */
      readonly key: string
      readonly keyId: string
      readonly teamId: string
      readonly topics: readonly string[]
      readonly environment?: Environment
    }
  | {
      readonly kind: 'apns-certificate'
      readonly certificate: string
      readonly topics: readonly string[]
      readonly environment?: Environment
    }
  | { readonly kind: 'service-account'; readonly serviceAccount: string }
  | { readonly kind: 'vapid'; readonly publicKey: string }

export interface IssuedCredentials {
  readonly apnsKey: { readonly p8: string; readonly keyId: string; readonly teamId: string; readonly topic: string }
  readonly serviceAccount: string
  readonly vapid: VapidCredential
}

export type KnownCredentials = Awaited<ReturnType<typeof createKnownCredentials>>

/** One P-256 key and one RSA key serve all applications. */
export async function createKnownCredentials(rsaKeys = makeRsaKeys) {
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
    apnsKey: (keyId: string) => apnsKeys.get(keyId),
    /** By SHA-256 fingerprint, `AB:CD:…`. */
    apnsCertificate: (fingerprint: string) => certificates.get(fingerprint),
    serviceAccount: (clientEmail: string) => accounts.get(clientEmail),
    hasProject: (projectId: string) => projects.has(projectId),
    isVapidKey: (publicKey: string) => vapidKeys.has(publicKey),
    accept,
    /** An application always gets the same team, topic, project and subject. */
    issue(applicationId: string): IssuedCredentials {
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

export function targetsOf(applicationId: string) {
  const part = digestOf(applicationId).slice(0, 12)
  return { topic: `simulated.app-${part}`, project: `simulated-${part}`, subject: `mailto:${part}@simulated.example` }
}

function digestOf(applicationId: string): string {
  return createHash('sha256').update(applicationId).digest('hex')
}

function readAccount(text: string): ServiceAccount {
  const { client_email: clientEmail, project_id: projectId, private_key: key } = parseJsonObject(text) ?? {}
  if (typeof clientEmail !== 'string' || typeof projectId !== 'string' || typeof key !== 'string') {
    throw new TypeError('a service account has client_email, project_id and private_key')
  }
  return { clientEmail, projectId, publicKey: createPublicKey(key) }
}

/** Google Cloud's fields, in order. */
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
