import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

interface Options {
  /** Content-Type. */
  readonly type: string
  /** Seconds for which nobody asks again. Default 0: asked each time, and answered with 304. */
  readonly maxAgeSeconds?: number
  /** Whether nobody asks again even on a reload: its name changes with it (RFC 8246). Default no. */
  readonly isImmutable?: boolean
  /** More headers. Default none. */
  readonly headers?: Readonly<Record<string, string>>
}

interface Made {
  readonly plain: Blob
  readonly gzipped: Uint8Array<ArrayBuffer>
  /** Weak, since it is the same for both (RFC 9110, 8.8.1). */
  readonly etag: string
}

/**
 * A handler that sends content which stays the same while the process lives. It is made and compressed once, at the
 * first call, on another thread: 1.5 MB of script take 50 ms.
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
      return new Response(plain, { headers: { ...always, 'content-type': type } })
    }
    return new Response(gzipped, { headers: { ...always, 'content-type': type, 'content-encoding': 'gzip' } })
  }
}

async function prepared(make: () => Blob | Promise<Blob>): Promise<Made> {
  const plain = await make()
  const bytes = await plain.bytes()
  const etag = `W/"${new Bun.CryptoHasher('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  return { plain, gzipped: new Uint8Array(await promisify(gzip)(bytes, { level: 9 })), etag }
}

/** Whether If-None-Match names it (RFC 9110, 13.1.2: compared as weak). */
function names(header: string | null, etag: string): boolean {
  const strong = etag.slice(2)
  return header?.split(',').some((one) => ['*', etag, strong].includes(one.trim())) ?? false
}

/** Whether Accept-Encoding takes gzip, and not with `q=0` (RFC 9110, 12.5.3). */
function takesGzip(header: string | null): boolean {
  return header?.split(',').some((one) => /^\s*gzip\s*(?:;(?!\s*q=0(?:\.0*)?\s*$).*)?$/i.test(one)) ?? false
}
