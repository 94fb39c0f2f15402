import { createHash } from 'node:crypto'

/** A push to one device, the same for the service and all other senders. */
export interface BenchRequest {
  /** 64 hex digits, unique. */
  readonly token: string
  /** A unique UUID. */
  readonly apnsId: string
}

export const CONTENT = { alert: 'Hello', sound: 'default' }
export const BODY = JSON.stringify({ aps: CONTENT })
export const TOPIC = 'com.example.bench'
export const COLLAPSE_ID = '019a9f7e-3c1b-7000-8000-000000000000'

/** Seconds since the Unix epoch. */
export const EXPIRATION = 1_800_000_000

/** As long as a real one. */
export const AUTHORIZATION = `bearer ${'x'.repeat(184)}`

/** Tokens are built from halves: a list of a million would count as the sender's memory. */
const HALVES = Array.from({ length: 1024 }, (_, n) => createHash('sha256').update(String(n)).digest('hex').slice(0, 32))

/** `n`: below 1024 × 1024. */
export function requestOf(n: number): BenchRequest {
  return {
    token: `${HALVES[n % HALVES.length]}${HALVES[Math.floor(n / HALVES.length)]}`,
    apnsId: `019a9f7e-3c1b-7000-8000-${n.toString(16).padStart(12, '0')}`,
  }
}

/** Without HTTP/2's pseudo-headers. */
export function headersOf({ apnsId }: BenchRequest): Record<string, string> {
  return {
    authorization: AUTHORIZATION,
    'apns-topic': TOPIC,
    'apns-push-type': 'alert',
    'apns-priority': '10',
    'apns-expiration': String(EXPIRATION),
    'apns-collapse-id': COLLAPSE_ID,
    'apns-id': apnsId,
  }
}
