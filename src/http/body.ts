import { failure, loggedAs, Refused } from '../failure.ts'

/** A batch of 500 tokens of 200 bytes is 100 KiB. */
const MAX_BODY_BYTES = 256 * 1024

/**
 * Chunks of a body without a length. Each costs Bun 1.4.5 about 2 µs: 20 bodies of 250,000 one-byte chunks stopped the
 * service for 7 s. Clients send 4 KiB or more at a time; with 256 bytes the largest body still fits.
 */
const MAX_CHUNKS = 2048

/** `sha-256=:base64:` or `sha-512=:base64:`, the sound algorithms of RFC 9530's Content-Digest. */
const DIGEST_MEMBER = /(?:^|,)\s*(sha-256|sha-512)\s*=\s*([^,]*)/g

/** As in the payload of a push. Bun's parser takes 25 ms for 240 kB of `[`; checking first takes 0.4 ms. */
const MAX_DEPTH = 64

const utf8 = new TextDecoder('utf-8', { fatal: true })
const looseUtf8 = new TextDecoder('utf-8')

/**
 * The body of a write; no body is `{}`. Checks in this order (test/api/http/order-of-checks.test.ts): size, type,
 * encoding, digest, JSON. Throws `Refused`. `requestId`: the support ID of a bad digest. `looseText`: replaces invalid UTF-8.
 */
export function readBody(request: Request, requestId: string, looseText: boolean): Promise<Record<string, unknown>> {
  return readBytes(request).then((bytes) => {
    const empty = bytes.byteLength === 0
    const { headers } = request
    const type = headers.get('content-type')
    if (!empty && type !== 'application/json' && !isJson(type)) {
      throw new Refused(failure('InvalidHeader', 'Content-Type must be application/json.'))
    }
    if (!empty) checkEncoding(headers)
    checkDigests(headers, bytes, requestId)
    return empty ? {} : parse(bytes, looseText ? looseUtf8 : utf8)
  }, brokenOff)
}

/** For a route that checks a signature first. Throws `Refused` if it is too large. */
export function readRawBody(request: Request, maxBytes = MAX_BODY_BYTES): Promise<Uint8Array> {
  return readBytes(request, maxBytes).catch(brokenOff)
}

/** Of a body of `readRawBody`. Throws `Refused`. */
export function jsonObjectOf(bytes: Uint8Array, headers: Headers): Record<string, unknown> {
  checkEncoding(headers)
  return parse(bytes, utf8)
}

/**
 * Call before Elysia parses: it opens each request's body stream only to see whether there is one, which costs 3 of 19
 * µs of an empty route (2026-11-23, medians).
 */
export function hideStream(request: Request): void {
  if (request.headers.has('content-length')) Object.defineProperty(request, 'body', { value: null })
}

function readBytes(request: Request, maxBytes = MAX_BODY_BYTES): Promise<Uint8Array> {
  const announced = request.headers.get('content-length')
  if (announced === null) return readChunks(request.body, maxBytes)
  if (Number(announced) > maxBytes) throw tooLarge(maxBytes)
  return request.bytes()
}

/** The caller has gone away, or its chunks are malformed. */
function brokenOff(error: unknown): never {
  if (error instanceof DOMException && error.name === 'AbortError') {
    throw new Refused(failure('InvalidContent', 'The body ended early.'))
  }
  throw error
}

async function readChunks(body: Request['body'], maxBytes: number): Promise<Uint8Array> {
  if (body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > maxBytes) throw tooLarge(maxBytes)
    if (chunks.length === MAX_CHUNKS) throw tooManyChunks()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function tooLarge(maxBytes: number): Refused {
  return new Refused(failure('RequestEntityTooLargeError', `The body is larger than ${maxBytes} bytes.`))
}

function tooManyChunks(): Refused {
  const message = `The body comes in more than ${MAX_CHUNKS} chunks: send larger ones, or its length.`
  return new Refused(failure('RequestEntityTooLargeError', message))
}

function isJson(type: string | null): boolean {
  return type !== null && type.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
}

/** RFC 9110, 8.4. */
function checkEncoding(headers: Headers): void {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return
  const message = 'Content-Encoding must be identity or absent: compressed bodies are not read.'
  throw new Refused(failure('InvalidHeader', message))
}

function checkDigests(headers: Headers, bytes: Uint8Array, requestId: string): void {
  const md5 = headers.get('content-md5')
  if (md5 !== null && md5.trim() !== hash('md5', bytes)) throw badDigest('Content-MD5', requestId)
  const digests = headers.get('content-digest')
  if (digests === null) return
  const given = new Map<string, string>()
  for (const [, algorithm = '', value = ''] of digests.matchAll(DIGEST_MEMBER)) {
    // Each would cost another pass over the body, and only one can be right.
    if (given.has(algorithm)) throw badDigest('Content-Digest', requestId, `has more than one ${algorithm}`)
    given.set(algorithm, value.trim())
  }
  for (const [algorithm, value] of given) {
    if (value !== `:${hash(algorithm === 'sha-256' ? 'sha256' : 'sha512', bytes)}:`) {
      throw badDigest('Content-Digest', requestId)
    }
  }
}

function hash(algorithm: 'md5' | 'sha256' | 'sha512', bytes: Uint8Array): string {
  return new Bun.CryptoHasher(algorithm).update(bytes).digest('base64')
}

function badDigest(header: string, requestId: string, problem = 'does not match the body that arrived'): Refused {
  return new Refused(failure('BadDigest', `${header} ${problem}. Support ID ${requestId}`))
}

function parse(bytes: Uint8Array, decoder: TextDecoder): Record<string, unknown> {
  const depth = hasMany(bytes) ? depthOf(bytes) - 1 : 0
  if (depth > MAX_DEPTH) {
    const message = `The body is nested ${depth} levels deep: at most ${MAX_DEPTH} are allowed.`
    throw new Refused(failure('InvalidContent', message))
  }
  let value: unknown
  try {
    value = JSON.parse(decoder.decode(bytes))
  } catch (error) {
    const problem = error instanceof SyntaxError ? error.message : 'it is not UTF-8'
    throw new Refused(loggedAs(failure('InvalidContent', `Invalid JSON: ${problem}`), 'Invalid JSON'))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refused(failure('InvalidContent', 'The body must be a JSON object.'))
  }
  return value as Record<string, unknown>
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** The bit by which `[` and `{`, `]` and `}` differ. */
const CURLY = 0x20
const OPENING = 0x7b
const CLOSING = 0x7d

/** Whether there are enough brackets to nest too deep. Faster than looking at each byte. */
function hasMany(bytes: Uint8Array): boolean {
  let found = 0
  for (const opening of [OPENING, OPENING & ~CURLY]) {
    for (let at = bytes.indexOf(opening); at !== -1; at = bytes.indexOf(opening, at + 1)) {
      if (++found > MAX_DEPTH) return true
    }
  }
  return false
}

/** Ignores brackets in strings. */
function depthOf(bytes: Uint8Array): number {
  let depth = 0
  let deepest = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE) {
      for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++
    } else if ((byte | CURLY) === OPENING) {
      depth++
      if (depth > deepest) deepest = depth
    } else if ((byte | CURLY) === CLOSING) depth--
  }
  return deepest
}
