import type { TransportRequest } from './transport.ts'

/** Overhead of a field (RFC 9113, 6.5.2: SETTINGS_MAX_HEADER_LIST_SIZE). */
const FIELD_BYTES = 32

/** Fits into one frame of any peer. */
export const MAX_HEADER_BYTES = 16_384

/** RFC 9110, 4.1 and RFC 3986, 3.3: visible ASCII. */
const PATH = /^\/[!-~]*$/

/** RFC 9113, 8.2.1, and RFC 9110, 5.5: no control characters, which a later hop might take for the field's end. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** A token (RFC 9110, 5.6.2), and no pseudo-header field. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/

/** RFC 9113, 8.2.2, and the fields we write ourselves. */
const FORBIDDEN: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
])

const FIXED_BYTES = 6 * FIELD_BYTES + 80

/** Sizes of shared headers; `NaN`: one can't be sent. */
const known = new WeakMap<TransportRequest['headers'], number>()

/** Why HTTP/2 can't carry a request to a peer that accepts `maxListBytes` of headers. */
export function requestFault({ path, headers, own }: TransportRequest, maxListBytes: number): string | null {
  let bytes = known.get(headers)
  if (bytes === undefined) known.set(headers, (bytes = listBytes(Object.entries(headers))))
  if (Number.isNaN(bytes)) return 'HTTP2InvalidHeader'
  if (own !== undefined && !(VALUE.test(own[1]) && isName(own[0]))) return 'HTTP2InvalidHeader'
  if (!PATH.test(path)) return 'HTTP2InvalidPath'
  const all = FIXED_BYTES + bytes + path.length + (own === undefined ? 0 : own[0].length + own[1].length)
  return all > maxListBytes ? 'HTTP2HeadersTooLarge' : null
}

function listBytes(headers: readonly (readonly [name: string, value: string])[]): number {
  if (!headers.every(([name, value]) => isSound(name, value))) return Number.NaN
  return headers.reduce((sum, [name, value]) => sum + name.length + value.length + FIELD_BYTES, 0)
}

function isSound(name: string, value: string): boolean {
  return isName(name) && VALUE.test(value)
}

/** Usually the same name again. */
let lastName = ''

function isName(name: string): boolean {
  if (name === lastName) return true
  if (!NAME.test(name) || FORBIDDEN.has(name)) return false
  lastName = name
  return true
}
