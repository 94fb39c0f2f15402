import { createECDH, createPrivateKey, generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import { parseJsonObject } from '../text/json-object.ts'

/** RFC 8292. Subscriptions are made with the public key. */
export interface VapidCredential {
  readonly kind: 'vapid'
  /** PKCS #8, PEM. */
  readonly privateKey: string
  /** The uncompressed point in base64url: `applicationServerKey` in a browser. */
  readonly publicKey: string
  /** `mailto:` or `https:`: the sender's contact. */
  readonly subject: string
}

export type WebPushSummary = Omit<VapidCredential, 'privateKey'>

export function makeVapid(subject: string): VapidCredential {
  return vapidOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, subject)
}

/**
 * To move another service's subscriptions: PEM, or as `web-push` and Firebase show the private key, 32 bytes in
 * base64url, alone or as `privateKey` of a JSON object.
 */
export function readVapid(text: string, subject: string): VapidCredential | Problem {
  const key = keyIn(text.trim())
  if (key === null) {
    return problem(
      'The key is neither a PEM private key nor 32 bytes in base64url, alone or as "privateKey" of a JSON object.',
    )
  }
  const curve = key.asymmetricKeyDetails?.namedCurve
  if (curve !== 'prime256v1') {
    return problem(`The key is of kind ${curve ?? key.asymmetricKeyType}: expected elliptic curve P-256.`)
  }
  return vapidOf(key, subject)
}

export interface VapidWish {
  readonly subject?: string | undefined
  /** A private key to import, as in `readVapid`. */
  readonly key?: string | undefined
  /** Replaces the present key, after which every browser must subscribe again. */
  readonly isNew: boolean
}

/** `null`: no subject is known. */
export function nextVapid(
  before: VapidCredential | null,
  { subject = before?.subject, key, isNew }: VapidWish,
): VapidCredential | Problem | null {
  if (subject === undefined) return null
  // An earlier version may have accepted the present one.
  if ((key !== undefined || isNew) && !isVapidSubject(subject)) {
    return problem(`The subject must be ${VAPID_SUBJECT}, not "${subject}".`)
  }
  if (key !== undefined) return readVapid(key, subject)
  return before === null || isNew ? makeVapid(subject) : { ...before, subject }
}

/** Ends a sentence after `must be `. */
export const VAPID_SUBJECT =
  'an address such as mailto:push@shop.example or https://shop.example/contact, at a public domain, since Apple refuses localhost, .local, .internal, .test, .invalid, single names and IP addresses'

/** As `web-push` and others read it, both halves in base64url. */
export function vapidJson({ privateKey, publicKey }: VapidCredential): string {
  const { d } = createPrivateKey(privateKey).export({ format: 'jwk' })
  return JSON.stringify({ publicKey, privateKey: d })
}

/** A contact (RFC 8292, 2.1) that Apple accepts. */
export function isVapidSubject(text: string): boolean {
  return isContact(text) && !isRefusedByApple(text)
}

/** Apple answers 403 BadJwtToken for hosts that others accept (web-push-libs/web-push#947, #988). */
export function isRefusedByApple(subject: string): boolean {
  // In a mailto: URL the host is part of the path.
  const url = URL.parse(subject.replace(/^mailto:(?:.*@)?/, 'https://'))
  const host = url?.hostname.replace(/\.$/, '') ?? ''
  return !host.includes('.') || REFUSED_HOST.test(host)
}

/** With IP addresses as URLs spell them. */
const REFUSED_HOST = /(^|\.)(localhost|local|internal|test|invalid)$|^\[|^(\d+\.){3}\d+$/

/** Apple refuses other kinds. */
function isContact(text: string): boolean {
  if (text.length > MAX_SUBJECT) return false
  if (/^mailto:[^\s@<>]+@[^\s@<>]+$/.test(text)) return true
  const url = URL.parse(text)
  return url?.protocol === 'https:' && url.username === '' && !/\s/.test(text)
}

const MAX_SUBJECT = 320

export function describeVapid({ kind, publicKey, subject }: VapidCredential): WebPushSummary {
  return { kind, publicKey, subject }
}

function keyIn(text: string): KeyObject | null {
  const given = parseJsonObject(text)?.['privateKey'] ?? text
  if (typeof given !== 'string') return null
  try {
    return /^[\w-]{43}$/.test(given) ? keyOf(Buffer.from(given, 'base64url')) : createPrivateKey(given)
  } catch {
    return null
  }
}

/** Throws for zero, and from the curve's order on. */
function keyOf(d: Buffer): KeyObject {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(d)
  const point = pair.getPublicKey()
  const text = (bytes: Buffer) => bytes.toString('base64url')
  const [x, y] = [text(point.subarray(1, 33)), text(point.subarray(33))]
  return createPrivateKey({ key: { kty: 'EC', crv: 'P-256', d: text(d), x, y }, format: 'jwk' })
}

function vapidOf(key: KeyObject, subject: string): VapidCredential {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const point = [Buffer.from([UNCOMPRESSED]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]
  const privateKey = key.export({ type: 'pkcs8', format: 'pem' })
  return { kind: 'vapid', privateKey, publicKey: Buffer.concat(point).toString('base64url'), subject }
}

/** SEC 1, 2.3.3. */
const UNCOMPRESSED = 4
