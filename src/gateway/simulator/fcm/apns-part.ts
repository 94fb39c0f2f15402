import { apsFaultOf } from '../../../notification/payload-rules.ts'
import { protoName } from '../../../notification/message-type.ts'
import { isJsonObject } from '../../../text/json-object.ts'
import type { JsonObject } from '../../../text/json-object.ts'
import { checkApnsHeaders } from '../apns/apns-request.ts'
import { apnsErrorDetail, fcmErrorDetail, invalidArgument } from './google-error.ts'
import type { GoogleError } from './google-error.ts'

/** Apple, "Generating a remote notification". */
const MAX_PAYLOAD_BYTES = 4096

/**
 * What APNs would have against `message.apns`, as FCM hands it on; `null`: nothing, or there is no such part. The
 * stand-in does not know which tokens are of iPhones, so it looks at every message.
 */
export function apnsPartFault(message: JsonObject): GoogleError | null {
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

/** The tag of what an iPhone shows, by which a repeat replaces it; `null`: none. */
export function apnsCollapseId(message: JsonObject): string | null {
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

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}
