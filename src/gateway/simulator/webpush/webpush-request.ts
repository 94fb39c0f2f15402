import { parseJsonObject } from '../../../text/json-object.ts'
import type { IncomingRequest } from '../http2/incoming-request.ts'
import { openMessage, readMessage } from './message-opening.ts'
import type { SubscriptionSecrets } from './message-opening.ts'
import { checkVapid } from './vapid-check.ts'
import type { WebPushRefusal } from './webpush-answer.ts'

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
  /** Default the refusal's own. */
  readonly reason?: string
}

interface Checks {
  readonly endpoint: string
  readonly now: number
  readonly isKnownKey: (publicKey: string) => boolean
  /** Of this endpoint; `null`: not known, so that only the example's are tried. */
  readonly secrets: SubscriptionSecrets | null
  readonly example: SubscriptionSecrets
}

/** What RFC 8030, 8188, 8291 and 8292 ask of a request. */
export function checkWebPush(request: IncomingRequest, checks: Checks): WebPushMessage | WebPushFault {
  const { method, headers, body } = request
  if (method !== 'POST') return fault('notfound')
  const { endpoint, now, isKnownKey: isKnown, secrets, example } = checks
  const sender = checkVapid(headers['authorization'], { origin: new URL(endpoint).origin, now, isKnown })
  if (sender.kind === 'missing') return fault('unauthenticated')
  if (sender.kind === 'refused') return fault('denied', sender.reason)
  // "MUST include"; without, 400 (RFC 8030, 5.2).
  if (!/^\d{1,10}$/.test(headers['ttl'] ?? '')) return fault('invalid', 'BadTtl')
  if (!/^(very-low|low|normal|high)$/.test(headers['urgency'] ?? 'normal')) return fault('invalid', 'BadUrgency')
  if (!/^[\w-]{1,32}$/.test(headers['topic'] ?? 'none')) return fault('invalid', 'BadTopic')
  if (headers['content-encoding'] !== 'aes128gcm') return fault('encoding')
  const message = readMessage(body)
  if (message === 'too large') return fault('large')
  if (typeof message === 'string') return fault('invalid', message)
  const text = openMessage(message, secrets ?? example)
  if (text === null && secrets !== null) return fault('invalid', 'cannot be decrypted')
  return { kind: 'message', sender: sender.subject, body: text === null ? null : parseJsonObject(text.toString()) }
}

function fault(refusal: WebPushRefusal, reason?: string): WebPushFault {
  return { kind: 'fault', refusal, ...(reason !== undefined && { reason }) }
}
