import { compactDecrypt, CompactEncrypt, exportJWK, generateKeyPair, importJWK } from 'jose'
import type { JWK } from 'jose'

/** RFC 7518, 4.6, with RFC 8037. */
const ALGORITHM = 'ECDH-ES'
const CURVE = 'X25519'
const CIPHER = 'A256GCM'

/** Bytes, as of a sealing key. */
const KEY_LENGTH = 32

/** A key pair for one move: what is sealed travels sealed with a key that only the other server can open. */
export async function createTransportKeyPair() {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, { crv: CURVE, extractable: true })
  return {
    publicKey: await exportJWK(publicKey),
    /** The key in a JWE; `null`: it is not for this pair. */
    async open(jwe: string): Promise<Uint8Array | null> {
      try {
        const { plaintext } = await compactDecrypt(jwe, privateKey, {
          keyManagementAlgorithms: [ALGORITHM],
          contentEncryptionAlgorithms: [CIPHER],
        })
        return plaintext.byteLength === KEY_LENGTH ? plaintext : null
      } catch {
        // Whatever is wrong with it, nothing can be opened.
        return null
      }
    },
  }
}

/** A JWE of `key`, 32 bytes. Throws for a public key of another kind. */
export async function sealTransportKey(key: Uint8Array, publicKey: JWK): Promise<string> {
  const recipient = await importJWK({ ...publicKey, kty: 'OKP', crv: CURVE }, ALGORITHM)
  return new CompactEncrypt(key).setProtectedHeader({ alg: ALGORITHM, enc: CIPHER }).encrypt(recipient)
}
