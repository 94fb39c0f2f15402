declare module 'http_ece' {
  import type { ECDH } from 'node:crypto'

  /** Opens, with the browser's private key and authentication secret, or with a key that both sides know. */
  export function decrypt(
    body: Buffer,
    params: { version: 'aes128gcm'; privateKey?: ECDH; authSecret?: Uint8Array; key?: Uint8Array },
  ): Buffer
}
