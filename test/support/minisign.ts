import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

interface MinisignSigner {
  /** The base64 line of `minisign.pub`. */
  readonly publicKey: string
  /** A `.minisig` for these bytes, as `minisign -S -t COMMENT` makes it. */
  sign(bytes: Uint8Array, comment: string): string
}

/** Signs as minisign does, without its encrypted key file. */
export function minisignSigner(): MinisignSigner {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const id = randomBytes(8)
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  return {
    publicKey: Buffer.concat([Buffer.from('Ed'), id, raw]).toString('base64'),
    sign: (bytes, comment) => signatureText(privateKey, id, bytes, comment),
  }
}

function signatureText(key: KeyObject, id: Uint8Array, bytes: Uint8Array, comment: string): string {
  const ofFile = sign(null, createHash('blake2b512').update(bytes).digest(), key)
  const ofBoth = sign(null, Buffer.concat([ofFile, Buffer.from(comment)]), key)
  const line = Buffer.concat([Buffer.from('ED'), id, ofFile]).toString('base64')
  return `untrusted comment: signed by a test\n${line}\ntrusted comment: ${comment}\n${ofBoth.toString('base64')}\n`
}
