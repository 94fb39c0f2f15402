import { apsFaultOf } from '../../../notification/payload-rules.ts'
import { isJsonObject, parseJsonObject } from '../../../text/json-object.ts'
import type { JsonObject } from '../../../text/json-object.ts'
import type { IncomingRequest } from '../http2/reply.ts'
import type { ApnsReason } from '../../apns/answers.ts'

export interface ApnsNotification {
  readonly kind: 'notification'
  /** Lower case hex. */
  readonly token: string
  readonly topic: string
  readonly payload: JsonObject
}

export interface ApnsFault {
  readonly kind: 'fault'
  readonly reason: ApnsReason
}

export interface ApnsSender {
  readonly topics: readonly string[]
  /** A certificate for one topic makes apns-topic optional. */
  readonly byCertificate: boolean
}

/**
 * Apple's checks ("Sending notification requests to APNs") in the order of pushy's mock server, but the sender before
 * the device token: with a wrong key Apple answers 403 to any token.
 */
export function checkApnsRequest(
  request: IncomingRequest,
  identify: () => ApnsSender | ApnsReason,
): ApnsNotification | ApnsFault {
  const { headers } = request
  if (request.repeatedHeaders) return fault('DuplicateHeaders')
  if (headers['apns-id'] !== undefined && !UUID.test(headers['apns-id'])) return fault('BadMessageId')
  if (request.method !== 'POST') return fault('MethodNotAllowed')
  const token = PATH.exec(request.path)?.[1]
  if (token === undefined) return fault('BadPath')
  if (token === '') return fault('MissingDeviceToken')

  const sender = identify()
  if (typeof sender === 'string') return fault(sender)
  const topic = headers['apns-topic'] ?? defaultTopic(sender)
  if (topic === undefined) return fault('MissingTopic')
  if (!TOPIC.test(topic)) return fault('BadTopic')
  if (!sender.topics.includes(topic.replace(TOPIC_SUFFIX, ''))) return fault('TopicDisallowed')

  const faultyHeader = checkApnsHeaders(headers)
  if (faultyHeader !== null) return fault(faultyHeader)
  if (!DEVICE_TOKEN.test(token)) return fault('BadDeviceToken')
  const payload = checkPayload(request.body, headers['apns-push-type'] === 'voip' ? 5120 : 4096)
  return typeof payload === 'string'
    ? fault(payload)
    : { kind: 'notification', token: token.toLowerCase(), topic, payload }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const PATH = /^\/3\/device\/([^/?]*)$/
const TOPIC = /^[A-Za-z0-9.-]{1,255}$/
const TOPIC_SUFFIX = /\.(?:voip|complication|location-query|voip-ptt|pushkit\.fileprovider|push-type\.liveactivity)$/
/** Apple: "variable length". Real ones have 32 bytes, some 80 or 100. */
const DEVICE_TOKEN = /^(?:[0-9a-f]{2}){32,100}$/i
const MAX_COLLAPSE_ID_BYTES = 64
const PRIORITIES = new Set(['10', '5', '1'])
const PUSH_TYPES = new Set([
  'alert',
  'background',
  'location',
  'voip',
  'complication',
  'fileprovider',
  'mdm',
  'liveactivity',
  'pushtotalk',
  'widgets',
  'controls',
])

function defaultTopic({ topics, byCertificate }: ApnsSender): string | undefined {
  return byCertificate && topics.length === 1 ? topics[0] : undefined
}

/** Also for headers that FCM forwards. */
export function checkApnsHeaders(headers: Readonly<Record<string, string | undefined>>): ApnsReason | null {
  const collapseId = headers['apns-collapse-id']
  if (collapseId !== undefined && Buffer.byteLength(collapseId) > MAX_COLLAPSE_ID_BYTES) return 'BadCollapseId'
  if (!/^\d{1,10}$/.test(headers['apns-expiration'] ?? '0')) return 'BadExpirationDate'
  const pushType = headers['apns-push-type'] ?? 'alert'
  if (!PUSH_TYPES.has(pushType)) return 'InvalidPushType'
  // "Specifying 10 is an error" for background pushes, and 10 is the default.
  const priority = headers['apns-priority'] ?? '10'
  if (!PRIORITIES.has(priority) || (pushType === 'background' && priority === '10')) return 'BadPriority'
  return null
}

/**
 * Apple accepts an unreadable payload or a non-numeric badge, and the phone shows nothing. The simulator refuses both,
 * to make the mistake visible.
 */
function checkPayload(body: Buffer, limitBytes: number): JsonObject | ApnsReason {
  if (body.length === 0) return 'PayloadEmpty'
  if (body.length > limitBytes) return 'PayloadTooLarge'
  const payload = parseJsonObject(body.toString())
  const aps = payload?.['aps'] ?? {}
  if (payload === null || !isJsonObject(aps)) return 'PayloadEmpty'
  return apsFaultOf(aps) === null ? payload : 'PayloadEmpty'
}

function fault(reason: ApnsReason): ApnsFault {
  return { kind: 'fault', reason }
}
