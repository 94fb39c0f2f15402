import { isRefusedByApple } from '../../../application/vapid.ts'
import { parseJsonObject } from '../../../text/json-object.ts'
import type { IncomingRequest } from '../http2/incoming-request.ts'
import { openMessage, readMessage } from './message-opening.ts'
import type { SubscriptionSecrets } from './message-opening.ts'
import type { PlayedService } from './played-service.ts'
import { checkVapid } from './vapid-check.ts'
import type { FaultDetail, WebPushRefusal } from './webpush-answer.ts'

/** A message in order. */
interface WebPushMessage {
  readonly kind: 'message'
  /** The subject of its VAPID token. */
  readonly sender: string
  /** The parsed JSON; `null`: for a browser whose keys are not known here, or no JSON. */
  readonly body: unknown
}

/** Why a push service refuses it. */
interface WebPushFault {
  readonly kind: 'fault'
  readonly refusal: WebPushRefusal
  /** What differs from how the refusal usually reads. */
  readonly detail?: FaultDetail
}

interface Checks {
  readonly endpoint: string
  readonly by: PlayedService
  /** Bytes that a browser takes. */
  readonly maxBytes: number
  readonly now: number
  readonly isKnownKey: (publicKey: string) => boolean
  /** Of this endpoint; `null`: not known, so that only the example's are tried. */
  readonly secrets: SubscriptionSecrets | null
  readonly example: SubscriptionSecrets
}

/** What RFC 8030, 8188, 8291 and 8292 ask of a request, and what each push service asks besides. */
export function checkWebPush(request: IncomingRequest, checks: Checks): WebPushMessage | WebPushFault {
  const { method, headers, body } = request
  if (method !== 'POST') return fault('notfound')
  const { endpoint, by, maxBytes, now, isKnownKey: isKnown, secrets, example } = checks
  const sender = checkVapid(headers['authorization'], { origin: new URL(endpoint).origin, now, isKnown })
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
  // "MUST include"; without, 400 (RFC 8030, 5.2).
  if (!/^\d{1,10}$/.test(ttl)) return fault('invalid', { reason: 'BadTtl', errno: 111, sentence: 'Missing TTL value' })
  if (by === 'microsoft' && Number(ttl) === 0 && policy !== 'no-cache') {
    return fault('invalid', { sentence: 'Ttl value conflicts with X-WNS-Cache-Policy.' })
  }
  if (!/^(very-low|low|normal|high)$/.test(urgency)) return fault('invalid', { reason: 'BadUrgency' })
  if (!/^[\w-]{1,32}$/.test(topic)) {
    const reason = by === 'apple' ? 'BadWebPushTopic' : 'BadTopic'
    return fault('invalid', { reason, errno: 113, sentence: 'Topic must be no greater than 32 characters' })
  }
  // It decodes the topic, and base64 has no such length.
  if (by === 'apple' && topic.length % 4 === 1) return fault('invalid', { reason: 'BadWebPushTopic' })
  return null
}

function fault(refusal: WebPushRefusal, detail?: FaultDetail): WebPushFault {
  return { kind: 'fault', refusal, ...(detail !== undefined && { detail }) }
}
