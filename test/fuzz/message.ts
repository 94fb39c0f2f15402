import { bodyOf } from './body.ts'
import type { Dice } from './dice.ts'

/** A call that the service accepts, from its own document. */
export interface KnownCall {
  readonly method: string
  readonly path: string
  /** With credentials, without framing of the body. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** `null`: no body. */
  readonly body: object | null
}

type Lines = (readonly [name: string, value: string])[]

/** An HTTP/1.1 message, or something like it, made from a valid call. */
export function messageOf(dice: Dice, call: KnownCall): Uint8Array {
  const headers: Lines = [['Host', 'localhost'], ...call.headers]
  const body = call.body === null ? new Uint8Array() : bodyOf(dice, call.body)
  const framed = frame(dice, headers, body, call.body !== null || dice.happens(5))
  if (dice.happens(25)) disturb(dice, headers)
  const line = `${methodOf(dice, call.method)} ${targetOf(dice, call.path)} ${versionOf(dice)}`
  const end = dice.happens(97) ? '\r\n' : dice.pick(['\n', '\r', '\r\n ', '\0\r\n'])
  const head = [line, ...headers.map(([name, value]) => `${name}${dice.happens(99) ? ': ' : ' : '}${value}`)].join(end)
  const message = Buffer.concat([Buffer.from(`${head}${end}${end}`, 'latin1'), framed])
  return dice.happens(8) ? flipped(dice, message) : message
}

/** A valid call, which must be answered. */
export function plainMessage({ method, path, headers, body }: KnownCall): Uint8Array {
  const text = body === null ? '' : JSON.stringify(body)
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`]),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${text}`)
}

function methodOf(dice: Dice, method: string): string {
  if (dice.happens(92)) return method
  return dice.pick([
    'GET',
    'HEAD',
    'OPTIONS',
    'TRACE',
    'PATCH',
    'DELETE',
    'CONNECT',
    'put',
    'PRI',
    'A'.repeat(5000),
    '',
  ])
}

function targetOf(dice: Dice, path: string): string {
  if (dice.happens(85)) return path
  return dice.pick([
    `${path}?${'a=b&'.repeat(dice.whole(1, 3000))}`,
    `${path}?limit=${dice.pick(['0', '-1', '1e9', '%00', '%', '1&limit=2', '９'])}`,
    `${path}?after=${dice.pick(['0', '-1', '%ff', 'x'.repeat(3000)])}`,
    `${path}?since=${dice.pick(['0', '+275760-09-13T00:00:00.001Z', '%E2%82', 'x'])}`,
    `//${path}`,
    `/${'../'.repeat(20)}${path}`,
    path.replaceAll('/', '%2f'),
    `${path}/`,
    `${path}%00`,
    `${path}\u00ff`,
    `http://[::1${path}`,
    `http://other.example${path}`,
    '*',
    '',
    `/${'x'.repeat(dice.whole(1, 20_000))}`,
  ])
}

function versionOf(dice: Dice): string {
  return dice.happens(95) ? 'HTTP/1.1' : dice.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.1 ', 'http/1.1', ''])
}

/** Frames the body, correctly three times out of four, and returns what follows the head. */
function frame(dice: Dice, headers: Lines, body: Uint8Array, has: boolean): Uint8Array {
  if (!has) return new Uint8Array()
  headers.push(['Content-Type', dice.happens(90) ? 'application/json' : dice.pick(['text/plain', '', ';', 'a/b;c="'])])
  if (dice.happens(60)) {
    headers.push(['Content-Length', dice.happens(80) ? String(body.length) : wrongLength(dice, body.length)])
    if (dice.happens(5)) headers.push(['Content-Length', dice.pick([String(body.length), '0', wrongLength(dice, 1)])])
    // Both headers: the source of request smuggling (RFC 9112, 6.3).
    if (dice.happens(5)) headers.push(['Transfer-Encoding', 'chunked'])
    return body
  }
  headers.push(['Transfer-Encoding', dice.happens(90) ? 'chunked' : dice.pick(['Chunked', 'gzip, chunked', 'x', ''])])
  return chunked(dice, body)
}

function wrongLength(dice: Dice, length: number): string {
  const near = String(Math.max(0, length + dice.whole(-5, 5)))
  return dice.pick([near, '-1', '+5', '0x10', '1e3', '99999999999999999999', '5, 5', ' ', '4294967296'])
}

const MOST_CHUNKS = 2500

function chunked(dice: Dice, body: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = []
  const most = dice.pick([1, 16, 300, 5000, 100_000])
  for (let at = 0; at < body.length;) {
    // More chunks than the service takes of a body (src/http/body.ts), then the rest at once.
    const size = parts.length < 3 * MOST_CHUNKS ? dice.whole(1, most) : body.length
    const chunk = body.subarray(at, at + size)
    at += size
    const said = dice.happens(99.7) ? chunk.length.toString(16) : dice.pick(['-1', 'g', '', 'ffffffffffffffff', '0'])
    const more = dice.happens(2) ? `;${'e=1;'.repeat(dice.whole(1, 200))}` : ''
    parts.push(Buffer.from(`${said}${more}\r\n`), chunk, Buffer.from(dice.happens(99.9) ? '\r\n' : 'x'))
  }
  const trailer = dice.happens(5) ? `X-Trailer: ${'t'.repeat(dice.whole(1, 9000))}\r\n` : ''
  return Buffer.concat([...parts, Buffer.from(dice.happens(95) ? `0\r\n${trailer}\r\n` : '')])
}

/** Adds something invalid to the head. */
function disturb(dice: Dice, headers: Lines): void {
  const odd: readonly (readonly [string, string])[] = [
    ['X-Long', 'x'.repeat(dice.whole(1, 40_000))],
    ['X'.repeat(dice.whole(1, 9000)), 'long'],
    ['X-Bytes', Buffer.from(dice.bytes(dice.whole(1, 60))).toString('latin1')],
    ['X-Folded', 'a\r\n b'],
    ['', 'nameless'],
    ['Host', dice.pick(['', 'a:99999', '[::1', 'xn--', '1.2.3.4.5', 'a b', 'x'.repeat(4000)])],
    ['Expect', dice.pick(['100-continue', '200-ok'])],
    ['Connection', dice.pick(['close', 'upgrade', 'keep-alive, close, x', 'Host'])],
    ['Upgrade', dice.pick(['h2c', 'websocket', 'TLS/1.0'])],
    ['Accept-Version', dice.pick(['', '2', '>=1 <2 || 3', '9'.repeat(64), '~~1', '*'])],
    ['Idempotency-Key', dice.pick(['', 'k'.repeat(256), '\u00e9', 'a b', 'same'])],
    ['Content-Digest', 'sha-256=:AAAA:, '.repeat(dice.whole(1, 400))],
    ['Content-MD5', dice.pick(['', '=', 'x'.repeat(3000)])],
    ['Content-Encoding', dice.pick(['gzip', 'br', 'identity'])],
    ['token', dice.pick(['', '\u00ff', 'x'.repeat(5000)])],
    ['X-Forwarded-For', dice.pick(['', '1.2.3.4', '::1, x', ','.repeat(3000)])],
    ['Range', 'bytes=0-,0-,0-'],
  ]
  const given = dice.happens(5) ? dice.whole(90, 400) : dice.whole(1, 3)
  for (let n = 0; n < given; n++) headers.splice(dice.whole(0, headers.length), 0, dice.pick(odd))
  if (dice.happens(20)) headers.splice(dice.whole(0, headers.length - 1), 1)
  const twice = dice.happens(20) ? headers[dice.whole(0, headers.length - 1)] : undefined
  if (twice !== undefined) headers.push(twice)
}

function flipped(dice: Dice, bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes)
  for (let n = dice.whole(1, 4); n > 0; n--) copy[dice.whole(0, copy.length - 1)] = dice.whole(0, 255)
  return copy
}
