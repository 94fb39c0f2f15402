import { compactDecrypt, CompactEncrypt, exportJWK, generateKeyPair, importJWK } from 'jose'
import type { JWK } from 'jose'

/** RFC 7518, 4.6, with RFC 8037. */
const ALGORITHM = 'ECDH-ES'
const CURVE = 'X25519'
const CIPHER = 'A256GCM'

/** Bytes, like a sealing key. */
const KEY_LENGTH = 32

/** Key pair for one move: sealed values travel under a key that only the other server can open. */
export async function createTransportKeyPair() {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, { crv: CURVE, extractable: true })
  return {
    publicKey: await exportJWK(publicKey),
    /** The key in a JWE; `null`: it was not made for this pair. */
    async open(jwe: string): Promise<Uint8Array | null> {
      try {
        const { plaintext } = await compactDecrypt(jwe, privateKey, {
          keyManagementAlgorithms: [ALGORITHM],
          contentEncryptionAlgorithms: [CIPHER],
        })
        return plaintext.byteLength === KEY_LENGTH ? plaintext : null
      } catch {
        return null
      }
    },
  }
}

/** Wraps `key`, 32 bytes, in a JWE. Throws if `publicKey` is not X25519. */
export async function sealTransportKey(key: Uint8Array, publicKey: JWK): Promise<string> {
  const recipient = await importJWK({ ...publicKey, kty: 'OKP', crv: CURVE }, ALGORITHM)
  return new CompactEncrypt(key).setProtectedHeader({ alg: ALGORITHM, enc: CIPHER }).encrypt(recipient)
}
