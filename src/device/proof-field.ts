import { invalid } from '../http/fields.ts'
import type { Field } from '../http/fields.ts'

const HEX = /^[0-9A-Fa-f]{64}$/
/** RFC 4648, 5. Python and Ruby pad it, Node and Go do not. */
const BASE64URL = /^[\w-]{43}=?$/

/** An HMAC-SHA256, as its 32 bytes. What it is worth depends on the name that it is a proof of. */
export function proof(description: string): Field<Uint8Array> {
  return {
    schema: { type: 'string', maxLength: 64, pattern: `${HEX.source}|${BASE64URL.source}`, description },
    emptyIsAbsent: true,
    read(value, name) {
      const text = typeof value === 'string' ? value : ''
      if (HEX.test(text)) return Buffer.from(text, 'hex')
      if (BASE64URL.test(text)) return Buffer.from(text, 'base64url')
      throw invalid(name, 'must be an HMAC-SHA256: 64 digits of hex, or 43 characters of base64url')
    },
  }
}
