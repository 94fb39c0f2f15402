import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'

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
