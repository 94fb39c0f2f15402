import { generateKeyPairSync } from 'node:crypto'
import type { FcmCredential } from '../../../src/application/credential.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})

/** PEM. */
export const ACCOUNT_PUBLIC_KEY = publicKey

export const ACCOUNT: FcmCredential = {
  kind: 'service-account',
  projectId: 'example-project',
  clientEmail: 'sender@example-project.iam.gserviceaccount.com',
  privateKey,
  privateKeyId: '0123456789abcdef',
}

/** The key file that Google gives for it. */
export const ACCOUNT_FILE = JSON.stringify({
  type: 'service_account',
  project_id: ACCOUNT.projectId,
  client_email: ACCOUNT.clientEmail,
  private_key: ACCOUNT.privateKey,
  private_key_id: ACCOUNT.privateKeyId,
})
