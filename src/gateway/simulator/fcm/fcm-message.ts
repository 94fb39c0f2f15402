import { isInstallationId } from '../../../device/push-token.ts'
import { messageFaultOf } from '../../../notification/message-rules.ts'
import { isJsonObject, parseJsonObject } from '../../../text/json-object.ts'
import type { JsonObject } from '../../../text/json-object.ts'
import { apnsCollapseId, apnsPartFault } from './apns-part.ts'
import { INVALID_FID, INVALID_TOKEN } from './fcm-answer.ts'
import { SEND_REQUEST } from './fcm-schema.ts'
import { badRequestDetail, fcmErrorDetail, invalidArgument } from './google-error.ts'
import type { FieldViolation, GoogleError } from './google-error.ts'
import { violationsOf } from './proto-json.ts'

/** A message FCM would take, as far as it can be told without knowing the device. */
export interface FcmMessage {
  readonly kind: 'message'
  /** What it is addressed to; in practice the token, or the installation ID. */
  readonly token: string
  /** Whether that is a Firebase Installation ID. */
  readonly isFid: boolean
  /** The tag of the Android notification, or the collapse ID of an iPhone's; `null` without one. */
  readonly tag: string | null
  /** Only to be checked, not delivered. */
  readonly validateOnly: boolean
  /** The whole body. */
  readonly body: JsonObject
}

export interface FcmFault {
  readonly kind: 'fault'
  readonly error: GoogleError
}

/**
 * Checks the body of `messages:send`: first as Google's front end reads any API's JSON, then as FCM reads the message.
 * Faults of the first kind carry only google.rpc.BadRequest, those of the second FcmError as well.
 */
export function checkFcmMessage(text: string): FcmMessage | FcmFault {
  const body = parseJsonObject(text)
  if (body === null) return faultOf([{ description: 'Invalid JSON payload received. Unexpected token.' }])
  const violations = violationsOf(body, SEND_REQUEST, '')
  if (violations.length > 0) return faultOf(violations)
  const message = objectAt(body, 'message')
  const [target, second] = TARGETS.filter((target) => typeof message[target] === 'string')
  if (second !== undefined) {
    const description = `Invalid value at 'message' (oneof), oneof field 'target' is already set. Cannot set '${second}'`
    return faultOf([{ field: 'message', description }])
  }
  const token = target === undefined ? '' : message[target]
  if (typeof token !== 'string' || token === '') return rejected('message', 'Recipient of the message is not set.')

  const refused = messageFaultOf(message)
  if (refused !== null) return rejected(`message.${refused.field}`, refused.description)
  const android = objectAt(message, 'android')
  const shown = objectAt(android, 'notification')
  const payload = [message['notification'], shown, { ...objectAt(message, 'data'), ...objectAt(android, 'data') }]
  if (payload.reduce<number>((sum, part) => sum + sizeOf(part), 0) > MAX_PAYLOAD_BYTES) return TOO_BIG
  const ofApple = apnsPartFault(message)
  if (ofApple !== null) return { kind: 'fault', error: ofApple }
  const isFid = target === 'fid'
  if (isFid && !isInstallationId(token)) return { kind: 'fault', error: INVALID_FID }
  if (target === 'token' && (isInstallationId(token) || !TOKEN.test(token))) {
    return { kind: 'fault', error: INVALID_TOKEN }
  }
  return {
    kind: 'message',
    token,
    isFid,
    tag: typeof shown['tag'] === 'string' ? shown['tag'] : apnsCollapseId(message),
    validateOnly: (body['validate_only'] ?? body['validateOnly']) === true,
    body,
  }
}

/** Google does not say what a token looks like; what is no token at all, or the other kind of target, is refused. */
const TOKEN = /^[\w:.~%+/=-]{1,4096}$/
const TARGETS = ['token', 'fid', 'topic', 'condition'] as const
/** FCM, "Message rate and size". */
const MAX_PAYLOAD_BYTES = 4096

const TOO_BIG: FcmFault = {
  kind: 'fault',
  error: invalidArgument('Android message is too big', [badRequestDetail(), fcmErrorDetail('INVALID_ARGUMENT')]),
}

function objectAt(parent: JsonObject, name: string): JsonObject {
  const value = parent[name]
  return isJsonObject(value) ? value : {}
}

/** Bytes of all keys and values. Google does not say how it counts; this is the least it can be. */
function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + sizeOf(item), 0)
  if (isJsonObject(value)) {
    return Object.entries(value).reduce((sum, [key, item]) => sum + Buffer.byteLength(key) + sizeOf(item), 0)
  }
  return typeof value === 'string' ? Buffer.byteLength(value) : (JSON.stringify(value)?.length ?? 0)
}

function faultOf(violations: readonly FieldViolation[]): FcmFault {
  const message = violations.map(({ description }) => description).join('\n')
  return { kind: 'fault', error: invalidArgument(message, [badRequestDetail(violations)]) }
}

function rejected(field: string, description: string): FcmFault {
  const details = [badRequestDetail([{ field, description }]), fcmErrorDetail('INVALID_ARGUMENT')]
  return { kind: 'fault', error: invalidArgument(description, details) }
}
