import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'

interface Options {
  readonly type: string
  /** Default 0: browsers ask each time, and get 304. */
  readonly maxAgeSeconds?: number
  /** Not even a reload asks again, since the name changes with the content (RFC 8246). */
  readonly isImmutable?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

interface Made {
  readonly plain: () => Promise<Bytes>
  readonly gzipped: Bytes
  /** Weak, since both encodings share it (RFC 9110, 8.8.1). */
  readonly etag: string
}

type Bytes = Uint8Array<ArrayBuffer>

/**
 * A handler for content that never changes. It is made and compressed at the first call, on another thread: 1.7 MB of
 * script take 50 ms. Content that the build has compressed (scripts/build/executable.ts) is sent as it is.
 */
export function fixedContent(
  make: () => Blob | Promise<Blob>,
  { type, maxAgeSeconds = 0, isImmutable = false, headers = {} }: Options,
) {
  let made: Promise<Made> | null = null
  const kept = maxAgeSeconds === 0 ? 'no-cache' : `public, max-age=${maxAgeSeconds}${isImmutable ? ', immutable' : ''}`
  return async ({ request }: { readonly request: Pick<Request, 'headers'> }): Promise<Response> => {
    made ??= prepared(make)
    const { plain, gzipped, etag } = await made
    const always = { etag, 'cache-control': kept, vary: 'Accept-Encoding, Origin', ...headers }
    if (names(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers: always })
    if (!takesGzip(request.headers.get('accept-encoding'))) {
      return new Response(await plain(), { headers: { ...always, 'content-type': type } })
    }
    return new Response(gzipped, { headers: { ...always, 'content-type': type, 'content-encoding': 'gzip' } })
  }
}

async function prepared(make: () => Blob | Promise<Blob>): Promise<Made> {
  const bytes = await (await make()).bytes()
  const etag = `W/"${new Bun.CryptoHasher('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  // Not gzip already (RFC 1952, 2.3.1).
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) {
    return { plain: () => Promise.resolve(bytes), gzipped: await packed(bytes), etag }
  }
  let plain: Promise<Bytes> | null = null
  return { plain: () => (plain ??= unpacked(bytes)), gzipped: bytes, etag }
}

async function packed(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await promisify(gzip)(bytes, { level: 9 }))
}

async function unpacked(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await promisify(gunzip)(bytes))
}

/** Weak comparison of If-None-Match (RFC 9110, 13.1.2). */
function names(header: string | null, etag: string): boolean {
  const strong = etag.slice(2)
  return header?.split(',').some((one) => ['*', etag, strong].includes(one.trim())) ?? false
}

/** RFC 9110, 12.5.3; `q=0` refuses. */
function takesGzip(header: string | null): boolean {
  return header?.split(',').some((one) => /^\s*gzip\s*(?:;(?!\s*q=0(?:\.0*)?\s*$).*)?$/i.test(one)) ?? false
}
