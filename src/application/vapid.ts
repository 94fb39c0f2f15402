import { createECDH, createPrivateKey, generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import { parseJsonObject } from '../text/json-object.ts'

/** What push services know an application by (RFC 8292). Subscriptions are made with its public key. */
export interface VapidCredential {
  readonly kind: 'vapid'
  /** PKCS #8, PEM. */
  readonly privateKey: string
  /** The uncompressed point in base64url, as a browser takes it for `applicationServerKey`. */
  readonly publicKey: string
  /** `mailto:` or `https:`: where a push service reaches whoever sends. */
  readonly subject: string
}

/** What may be shown of it. */
export type WebPushSummary = Omit<VapidCredential, 'privateKey'>

/** Makes a key pair. */
export function makeVapid(subject: string): VapidCredential {
  return vapidOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, subject)
}

/**
 * Reads the key pair of another service, so that its subscriptions can move: PEM; or as `web-push` and Firebase show the
 * private key, 32 bytes in base64url, alone or as `privateKey` of a JSON object.
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

/** What the key pair of an application is to be. */
export interface VapidWish {
  /** Default: that of the key pair that is there. */
  readonly subject?: string | undefined
  /** The text of a private key to import, as `readVapid` takes it. */
  readonly key?: string | undefined
  /** Whether another key is made where there is one, so that every browser must subscribe again. */
  readonly isNew: boolean
}

/** What follows on the key pair `before`, which stays unless another is asked for; `null`: no subject is known. */
export function nextVapid(
  before: VapidCredential | null,
  { subject = before?.subject, key, isNew }: VapidWish,
): VapidCredential | Problem | null {
  if (subject === undefined) return null
  // That of before may be one that was taken by an earlier version.
  if ((key !== undefined || isNew) && !isVapidSubject(subject)) {
    return problem(`The subject must be ${VAPID_SUBJECT}, not "${subject}".`)
  }
  if (key !== undefined) return readVapid(key, subject)
  return before === null || isNew ? makeVapid(subject) : { ...before, subject }
}

/** The rule of `isVapidSubject` in words, after `must be `. */
export const VAPID_SUBJECT =
  'an address such as mailto:push@shop.example or https://shop.example/contact, at a public domain, since Apple refuses localhost, .local, .internal, .test, .invalid, single names and IP addresses'

/** The key pair as `web-push` and other services write and read it, both halves in base64url. */
export function vapidJson({ privateKey, publicKey }: VapidCredential): string {
  const { d } = createPrivateKey(privateKey).export({ format: 'jwk' })
  return JSON.stringify({ publicKey, privateKey: d })
}

/** Whether it says how to reach whoever sends (RFC 8292, 2.1), and Apple takes it. */
export function isVapidSubject(text: string): boolean {
  return isContact(text) && !isRefusedByApple(text)
}

/**
 * Whether Apple's push service refuses the host of a contact, with 403 BadJwtToken, where all others take it
 * (web-push-libs/web-push#947, #988).
 */
export function isRefusedByApple(subject: string): boolean {
  // The host of a mail address is no host to a URL.
  const url = URL.parse(subject.replace(/^mailto:(?:.*@)?/, 'https://'))
  const host = url?.hostname.replace(/\.$/, '') ?? ''
  return !host.includes('.') || REFUSED_HOST.test(host)
}

/** An address of IPv6 has brackets, and URLs have no other spelling of one of IPv4. */
const REFUSED_HOST = /(^|\.)(localhost|local|internal|test|invalid)$|^\[|^(\d+\.){3}\d+$/

/** Apple refuses others than these two kinds. */
function isContact(text: string): boolean {
  if (text.length > MAX_SUBJECT) return false
  if (/^mailto:[^\s@<>]+@[^\s@<>]+$/.test(text)) return true
  const url = URL.parse(text)
  return url?.protocol === 'https:' && url.username === '' && !/\s/.test(text)
}

const MAX_SUBJECT = 320

/** Field by field, as other credentials are described. */
export function describeVapid({ kind, publicKey, subject }: VapidCredential): WebPushSummary {
  return { kind, publicKey, subject }
}

function keyIn(text: string): KeyObject | null {
  const given = parseJsonObject(text)?.['privateKey'] ?? text
  if (typeof given !== 'string') return null
  try {
    return /^[\w-]{43}$/.test(given) ? keyOf(Buffer.from(given, 'base64url')) : createPrivateKey(given)
  } catch {
    // Whatever OpenSSL finds wrong with it, the operator can only give another file.
    return null
  }
}

/** From the number alone, which zero and the curve's order or more are not. */
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
