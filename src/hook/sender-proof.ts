import { createHmac, timingSafeEqual } from 'node:crypto'
import { MINUTE_MS } from '../clock.ts'
import { secretBytes, signatureOf } from '../webhook/signature.ts'
import { readPattern } from './placeholder.ts'
import type { Pattern } from './placeholder.ts'

export type SignatureName = 'standard' | 'github' | 'stripe'

interface SignatureFacts {
  readonly of: string
  /** Why a text can't be a secret. */
  readonly secretProblem: (secret: string) => string | null
  /** Why the call is not from the holder of the secret, in one sentence; `null`: it is. */
  readonly problem: (call: SignedCall, secret: string) => string | null
  /** Pattern of the event's ID. */
  readonly event: string
}

interface SignedCall {
  readonly headers: Headers
  readonly body: Uint8Array
  readonly now: number
}

/** Stripe and Standard Webhooks: an older call may be a replay. */
const TOLERANCE_MS = 5 * MINUTE_MS

/** Keyed by the value of `--signature`. */
export const SIGNATURES: Readonly<Record<SignatureName, SignatureFacts>> = {
  standard: {
    of: 'Standard Webhooks (Supabase Auth, Svix, Clerk and others)',
    secretProblem: (secret) =>
      secretBytes(secret) === null ? 'must be whsec_ and the base64 of 24 to 64 bytes' : null,
    event: '{{ @webhook-id }}',
    problem({ headers, body, now }, secret) {
      const [id, timestamp, given] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
        headers.get(name),
      )
      if (!id || !timestamp || !given) return unsigned('webhook-id, webhook-timestamp and webhook-signature')
      const key = secretBytes(secret)
      const wanted = key && signatureOf({ id, timestamp: Number(timestamp), body: textOf(body) }, key)
      if (wanted === null || !given.split(' ').some((one) => isSame(one, wanted))) return WRONG
      return ageProblem(timestamp, now)
    },
  },
  github: {
    of: 'GitHub, Gitea and Forgejo',
    secretProblem: notEmpty,
    event: '{{ @x-github-delivery }}',
    problem({ headers, body }, secret) {
      const given = headers.get('x-hub-signature-256')
      if (given === null) return unsigned('X-Hub-Signature-256')
      return isSame(given, `sha256=${hmacHex(secret, body)}`) ? null : WRONG
    },
  },
  stripe: {
    of: 'Stripe',
    secretProblem: notEmpty,
    event: '{{ id }}',
    problem({ headers, body, now }, secret) {
      const given = headers.get('stripe-signature')
      if (given === null) return unsigned('Stripe-Signature')
      const parts = given.split(',').map((part) => part.trim())
      const timestamp = parts.find((part) => part.startsWith('t='))?.slice(2) ?? ''
      const wanted = `v1=${hmacHex(secret, Buffer.concat([Buffer.from(`${timestamp}.`), body]))}`
      return parts.some((part) => isSame(part, wanted)) ? ageProblem(timestamp, now) : WRONG
    },
  },
}

export const SIGNATURE_NAMES = Object.keys(SIGNATURES) as SignatureName[]

/** Pattern of the event's ID, unless the template has one. */
export function usualEvent(signature: SignatureName | null): Pattern | null {
  const pattern = signature && readPattern(SIGNATURES[signature].event)
  return pattern === null || 'problem' in pattern ? null : pattern
}

const WRONG = 'The signature does not match.'

const unsigned = (headers: string) => `The call is not signed: ${headers} must be there.`

/** `timestamp`: signed, in seconds. */
function ageProblem(timestamp: string, now: number): string | null {
  const ageMs = now - Number(timestamp) * 1000
  if (Math.abs(ageMs) <= TOLERANCE_MS) return null
  return 'The call was signed more than 5 minutes ago, or one of the clocks is wrong.'
}

function notEmpty(secret: string): string | null {
  return secret.length < 8 ? 'must have 8 characters or more' : null
}

const hmacHex = (secret: string, bytes: Uint8Array) => createHmac('sha256', secret).update(bytes).digest('hex')

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}
