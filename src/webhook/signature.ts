import { createHmac } from 'node:crypto'

/** Bytes (Standard Webhooks, "Signature scheme": 192 to 512 bits). */
const MIN_BYTES = 24
const MAX_BYTES = 64
const NEW_BYTES = 32

const PREFIX = 'whsec_'

/** `whsec_` and base64. */
export function newWebhookSecret(random: (length: number) => Uint8Array): string {
  return PREFIX + random(NEW_BYTES).toBase64()
}

/** `null`: not `whsec_` and the base64 of 24 to 64 bytes. */
export function secretBytes(secret: string): Uint8Array | null {
  const digits = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : ''
  if (digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(digits)) return null
  const bytes = Buffer.from(digits, 'base64')
  return bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES ? bytes : null
}

interface Signed {
  /** The same for each try. Has no full stop, which separates the parts. */
  readonly id: string
  /** Of this try, in seconds since the Unix epoch. */
  readonly timestamp: number
  readonly body: string
}

/** Value of `webhook-signature`: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`. */
export function signatureOf({ id, timestamp, body }: Signed, secret: Uint8Array): string {
  return `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

/** Headers of a message to a webhook (Standard Webhooks). */
export function signedHeaders(id: string, body: string, secret: Uint8Array, now: number): Record<string, string> {
  const timestamp = Math.floor(now / 1000)
  return {
    'content-type': 'application/json',
    'user-agent': 'Bellhop',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatureOf({ id, timestamp, body }, secret),
  }
}
