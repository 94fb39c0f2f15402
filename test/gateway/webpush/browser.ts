import { createECDH, randomBytes } from 'node:crypto'
import { decrypt } from 'http_ece'
import type { Recipient } from '../../../src/gateway/gateway.ts'

/** A subscribed browser, which opens messages by another implementation than ours. */
export function createBrowser(endpoint: string) {
  const pair = createECDH('prime256v1')
  const keys = { p256dh: pair.generateKeys(), auth: randomBytes(16) }
  const recipient: Recipient = { device: 42, token: endpoint, environment: null, badge: null, keys }
  return {
    recipient,
    open: (body: Buffer): unknown =>
      JSON.parse(decrypt(body, { version: 'aes128gcm', privateKey: pair, authSecret: keys.auth }).toString()),
  }
}
