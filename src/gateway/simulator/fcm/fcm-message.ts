import { isInstallationId } from '../../../device/push-token.ts'
import { messageFaultOf } from '../../../notification/message-rules.ts'
import { MESSAGE } from '../../../notification/message-schema.ts'
import { protoName } from '../../../notification/message-type.ts'
import type { FieldType } from '../../../notification/message-type.ts'
import { apsFaultOf } from '../../../notification/payload-rules.ts'
import { isJsonObject, parseJsonObject } from '../../../text/json-object.ts'
import type { JsonObject } from '../../../text/json-object.ts'
import { objectOf } from '../../fcm/error.ts'
import { checkApnsHeaders } from '../apns/apns-request.ts'
import { INVALID_FID, INVALID_TOKEN } from './fcm-answer.ts'
import { apnsErrorDetail, badRequestDetail, fcmErrorDetail, invalidArgument } from './google-error.ts'
import type { FieldViolation, GoogleError } from './google-error.ts'
import { violationsOf } from './proto-json.ts'

export interface FcmMessage {
  readonly kind: 'message'
  /** In theory a topic or condition. */
  readonly token: string
  readonly isFid: boolean
  /** The Android tag, or an iPhone's collapse ID. */
  readonly tag: string | null
  readonly validateOnly: boolean
  readonly body: JsonObject
}

export interface FcmFault {
  readonly kind: 'fault'
  readonly error: GoogleError
}

/**
 * First as JSON of any Google API, then as FCM does. The first kind of fault has google.rpc.BadRequest only, the second
 * an FcmError too.
 */
export function checkFcmMessage(text: string): FcmMessage | FcmFault {
  const body = parseJsonObject(text)
  if (body === null) return faultOf([{ description: 'Invalid JSON payload received. Unexpected token.' }])
  const violations = violationsOf(body, SEND_REQUEST, '')
  if (violations.length > 0) return faultOf(violations)
  const message = objectOf(body['message'])
  const [target, second] = TARGETS.filter((target) => typeof message[target] === 'string')
  if (second !== undefined) {
    const description = `Invalid value at 'message' (oneof), oneof field 'target' is already set. Cannot set '${second}'`
    return faultOf([{ field: 'message', description }])
  }
  const token = target === undefined ? '' : message[target]
  if (typeof token !== 'string' || token === '') return rejected('message', 'Recipient of the message is not set.')

  const refused = messageFaultOf(message)
  if (refused !== null) return rejected(`message.${refused.field}`, refused.description)
  const android = objectOf(message['android'])
  const shown = objectOf(android['notification'])
  const payload = [message['notification'], shown, { ...objectOf(message['data']), ...objectOf(android['data']) }]
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

/** Google does not say what a token looks like. */
const TOKEN = /^[\w:.~%+/=-]{1,4096}$/
const TARGETS = ['token', 'fid', 'topic', 'condition'] as const
/** FCM, "Message rate and size"; Apple, "Generating a remote notification". */
const MAX_PAYLOAD_BYTES = 4096

/** FCM reference, "Method: projects.messages.send". */
const SEND_REQUEST: FieldType = {
  messageName: 'SendMessageRequest',
  fields: { validate_only: 'bool', message: MESSAGE },
}

const TOO_BIG: FcmFault = {
  kind: 'fault',
  error: invalidArgument('Android message is too big', [badRequestDetail(), fcmErrorDetail('INVALID_ARGUMENT')]),
}

/** The least that Google may count. */
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

/** Why APNs would refuse `message.apns`. Checked in every message, since the simulator can't tell iPhones' tokens. */
function apnsPartFault(message: JsonObject): GoogleError | null {
  const part = message['apns']
  if (!isJsonObject(part)) return null
  const fields = Object.fromEntries(Object.entries(part).map(([name, value]) => [protoName(name), value]))
  const headers = lowerCase(objectOf(fields['headers']))
  const payload = objectOf(fields['payload'])
  const handedOn = { ...objectOf(message['data']), ...payload }
  const reason = checkApnsHeaders(headers)
  if (reason !== null) return refused(400, reason)
  if (Buffer.byteLength(JSON.stringify(handedOn)) > MAX_PAYLOAD_BYTES) return refused(413, 'PayloadTooLarge')
  return apsFaultOf(objectOf(payload['aps'])) === null ? null : refused(400, 'PayloadEmpty')
}

function apnsCollapseId(message: JsonObject): string | null {
  const id = lowerCase(objectOf(objectOf(message['apns'])['headers']))['apns-collapse-id']
  return id ?? null
}

function refused(status: number, reason: string): GoogleError {
  const details = [fcmErrorDetail('INVALID_ARGUMENT'), apnsErrorDetail(status, reason)]
  return invalidArgument(`APNs refuses the message: ${reason}`, details)
}

function lowerCase(headers: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
}
