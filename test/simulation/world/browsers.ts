import { createECDH } from 'node:crypto'
import type { ECDH } from 'node:crypto'
import { openMessage, readMessage } from '../../../src/gateway/simulator/webpush/message-opening.ts'

export const PUSH_SERVICES = {
  'push-0': 'https://zero.push.test',
  'push-1': 'https://one.push.test',
  'push-2': 'https://two.push.test',
} as const

export type PushService = keyof typeof PUSH_SERVICES

export const PUSH_SERVICE_NAMES = Object.keys(PUSH_SERVICES) as PushService[]

/** Pairs that a browser uses in turn. */
export const KEY_PAIRS = 2

interface Subscription {
  /** As browsers give them to their site. */
  readonly keys: { readonly p256dh: string; readonly auth: string }
  /** Caches each secret: computing takes 0.1 ms. */
  readonly pair: ECDH
  readonly auth: Uint8Array
}

/** By browser and key pair, for all worlds of a process. */
const subscriptions = new Map<string, Subscription>()

export function serviceOf(browser: number): PushService {
  return PUSH_SERVICE_NAMES[browser % PUSH_SERVICE_NAMES.length] ?? 'push-0'
}

/** `moves`: earlier subscriptions. */
export function endpointOf(browser: number, moves: number): string {
  return `${PUSH_SERVICES[serviceOf(browser)]}/send/${moves === 0 ? '' : `${moves}/`}${browser}`
}

/** `pair`: which of its key pairs. */
export function keysOf(browser: number, pair: number): Subscription['keys'] {
  return subscriptionOf(browser, pair).keys
}

/** What a browser reads, and with which key pair; `null`: nothing. */
export function openFor(endpoint: string, body: Uint8Array): { readonly text: string; readonly pair: number } | null {
  const browser = Number(endpoint.split('/').at(-1))
  const sealed = readMessage(Buffer.from(body))
  if (typeof sealed === 'string') return null
  for (let pair = 0; pair < KEY_PAIRS; pair++) {
    const text = openMessage(sealed, subscriptionOf(browser, pair))
    if (text !== null) return { text: text.toString(), pair }
  }
  return null
}

function subscriptionOf(browser: number, pair: number): Subscription {
  const name = `browser ${browser}, pair ${pair}`
  let subscription = subscriptions.get(name)
  if (subscription === undefined) subscriptions.set(name, (subscription = subscribe(name)))
  return subscription
}

function subscribe(name: string): Subscription {
  const digest = (of: string) => new Bun.CryptoHasher('sha256').update(of).digest()
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(digest(name))
  const publicKey = pair.getPublicKey()
  const auth = digest(`${name}, its secret`).subarray(0, 16)
  const secrets = new Map<string, Buffer>()
  const computeSecret = (sender: Buffer): Buffer => {
    const point = sender.toString('base64')
    const secret = secrets.get(point) ?? pair.computeSecret(sender)
    secrets.set(point, secret)
    return secret
  }
  return {
    keys: { p256dh: publicKey.toString('base64url'), auth: auth.toString('base64url') },
    pair: { computeSecret, getPublicKey: () => publicKey } as unknown as ECDH,
    auth,
  }
}
