import { createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { isRefusedByApple } from '../../../application/vapid.ts'
import { DAY_MS } from '../../../clock.ts'
import { parseJsonObject } from '../../../text/json-object.ts'
import { isSignedBy, readJws } from '../jws.ts'
import type { IncomingRequest } from '../http2/reply.ts'
import { openMessage, readMessage } from './message-opening.ts'
import type { SubscriptionSecrets } from './message-opening.ts'
import type { FaultDetail, PlayedService, WebPushRefusal } from './webpush-answer.ts'

interface WebPushMessage {
  readonly kind: 'message'
  readonly sender: string
  /** `null`: for a browser whose keys are unknown here, or not JSON. */
  readonly body: unknown
}

interface WebPushFault {
  readonly kind: 'fault'
  readonly refusal: WebPushRefusal
  readonly detail?: FaultDetail
}

interface Checks {
  readonly endpoint: string
  readonly by: PlayedService
  readonly maxBytes: number
  readonly now: number
  /** Base64url. */
  readonly isKnownKey: (publicKey: string) => boolean
  /** `null`: unknown, so the example's are tried. */
  readonly secrets: SubscriptionSecrets | null
  readonly example: SubscriptionSecrets
}

/** Checks RFC 8030, 8188, 8291 and 8292, and each push service's own rules. */
export function checkWebPush(request: IncomingRequest, checks: Checks): WebPushMessage | WebPushFault {
  const { method, headers, body } = request
  if (method !== 'POST') return fault('notfound')
  const { by, maxBytes, secrets, example } = checks
  const sender = checkVapid(headers['authorization'], checks)
  if (sender.kind === 'missing') return fault('unauthenticated')
  if (sender.kind === 'stranger') return fault('otherkey')
  if (sender.kind === 'refused') return fault('denied', by === 'apple' ? {} : { reason: sender.reason })
  if (by === 'apple' && isRefusedByApple(sender.subject)) return fault('denied')
  const wrong = headerFault(headers, by)
  if (wrong !== null) return wrong
  if (headers['content-encoding'] !== 'aes128gcm') return fault('encoding')
  const message = body.length > maxBytes ? 'too large' : readMessage(body)
  if (message === 'too large') return fault('large')
  if (typeof message === 'string') return fault('invalid', { reason: message })
  const text = openMessage(message, secrets ?? example)
  if (text === null && secrets !== null) return fault('invalid', { reason: 'cannot be decrypted' })
  return { kind: 'message', sender: sender.subject, body: text === null ? null : parseJsonObject(text.toString()) }
}

function headerFault(headers: IncomingRequest['headers'], by: PlayedService): WebPushFault | null {
  const { ttl = '', urgency = 'normal', topic = 'none', 'x-wns-cache-policy': policy } = headers
  // "MUST include", else 400 (RFC 8030, 5.2).
  if (!/^\d{1,10}$/.test(ttl)) return fault('invalid', { reason: 'BadTtl', errno: 111, sentence: 'Missing TTL value' })
  if (by === 'microsoft' && Number(ttl) === 0 && policy !== 'no-cache') {
    return fault('invalid', { sentence: 'Ttl value conflicts with X-WNS-Cache-Policy.' })
  }
  if (!/^(very-low|low|normal|high)$/.test(urgency)) return fault('invalid', { reason: 'BadUrgency' })
  if (!/^[\w-]{1,32}$/.test(topic)) {
    const reason = by === 'apple' ? 'BadWebPushTopic' : 'BadTopic'
    return fault('invalid', { reason, errno: 113, sentence: 'Topic must be no greater than 32 characters' })
  }
  // Apple decodes the topic, and base64 has no such length.
  if (by === 'apple' && topic.length % 4 === 1) return fault('invalid', { reason: 'BadWebPushTopic' })
  return null
}

function fault(refusal: WebPushRefusal, detail?: FaultDetail): WebPushFault {
  return { kind: 'fault', refusal, ...(detail !== undefined && { detail }) }
}

type VapidVerdict =
  | { readonly kind: 'sender'; readonly subject: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'stranger' }
  | { readonly kind: 'refused'; readonly reason: string }

/** Checks RFC 8292, and the subject as Apple does. */
function checkVapid(
  authorization: string | undefined,
  { endpoint, now, isKnownKey }: Pick<Checks, 'endpoint' | 'now' | 'isKnownKey'>,
): VapidVerdict {
  const [, given = ''] = /^vapid +(.*)$/i.exec(authorization ?? '') ?? []
  const fields = new Map(given.split(',').map((field) => [field.trim().slice(0, 2), field.trim().slice(2)]))
  const token = fields.get('t=')
  const publicKey = fields.get('k=')
  if (token === undefined || publicKey === undefined) return { kind: 'missing' }
  const refused = (reason: string): VapidVerdict => ({ kind: 'refused', reason })
  const jws = readJws(token)
  const key = keyOf(publicKey)
  if (jws === null || key === null || !isSignedBy(jws, 'ES256', key)) return refused('InvalidSignature')
  if (!isKnownKey(publicKey)) return { kind: 'stranger' }
  const { aud, exp, sub } = jws.claims
  if (aud !== new URL(endpoint).origin) return refused('BadAudience')
  if (typeof exp !== 'number' || exp * 1000 <= now) return refused('ExpiredToken')
  if (exp * 1000 > now + DAY_MS) return refused('TooLongExpiration')
  if (typeof sub !== 'string' || !/^(mailto:|https:)/.test(sub)) return refused('BadSubject')
  return { kind: 'sender', subject: sub }
}

function keyOf(text: string): KeyObject | null {
  const point = Buffer.from(text, 'base64url')
  if (point.length !== 65 || point[0] !== 4) return null
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')]
  try {
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  } catch {
    // Not on the curve.
    return null
  }
}
