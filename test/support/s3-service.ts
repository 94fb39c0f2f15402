import { createHash } from 'node:crypto'
import { createWaits } from './waits.ts'

/** A stand-in for a service that speaks S3, with one bucket: `backups`. Signatures must be there; they are not checked. */
export interface S3Service extends AsyncDisposable {
  /** The variables that lead to it. */
  readonly env: Readonly<Record<string, string>>
  readonly objects: Map<string, Uint8Array>
  /** `METHOD /path?query` of each call so far. */
  readonly calls: string[]
  /** What it does with the next calls; `undefined`: answers them. */
  reply: ((request: Request) => Response | Promise<Response> | undefined) | null
  /** Uploads in parts that were begun, and neither completed nor aborted. */
  readonly open: ReadonlyMap<string, unknown>
  /** Resolves once `condition` holds; asked again whenever a call was answered. */
  until(condition: () => boolean): Promise<void>
}

export function s3Error(status: number, code: string, message = 'No.'): Response {
  return new Response(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`, {
    status,
  })
}

/** Objects in one page of a list; 1000 in the real one. */
const PAGE = 3

export function startS3(): S3Service {
  const objects = new Map<string, Uint8Array>()
  const open = new Map<string, Map<number, Uint8Array>>()
  const calls: string[] = []
  const { changed, until } = createWaits()
  let uploads = 0

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url)
    calls.push(`${request.method} ${url.pathname}${url.search}`)
    const decided = await service.reply?.(request)
    if (decided !== undefined) return decided
    const signed = /^AWS4-HMAC-SHA256 Credential=backup-key\/\d{8}\/[\w-]+\/s3\/aws4_request, /
    if (!signed.test(request.headers.get('authorization') ?? '')) return s3Error(403, 'InvalidAccessKeyId')
    const [, bucket, key = ''] = /^\/([^/]+)\/?(.*)$/.exec(decodeURIComponent(url.pathname)) ?? []
    if (bucket !== 'backups') return s3Error(404, 'NoSuchBucket', 'The specified bucket does not exist')
    const upload = url.searchParams.get('uploadId')
    const parts = upload === null ? undefined : open.get(upload)
    if (upload !== null && parts === undefined) return s3Error(404, 'NoSuchUpload')
    switch (request.method) {
      case 'PUT': {
        const bytes = await request.bytes()
        if (parts === undefined) objects.set(key, bytes)
        else parts.set(Number(url.searchParams.get('partNumber')), bytes)
        return new Response('', { headers: { etag: `"${createHash('md5').update(bytes).digest('hex')}"` } })
      }
      case 'POST': {
        if (parts === undefined || upload === null) {
          const id = `upload-${++uploads}`
          open.set(id, new Map())
          return new Response(
            `<InitiateMultipartUploadResult><Bucket>${bucket}</Bucket><Key>${key}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
          )
        }
        objects.set(key, Buffer.concat([...parts].toSorted(([a], [b]) => a - b).map(([, bytes]) => bytes)))
        open.delete(upload)
        return new Response('<CompleteMultipartUploadResult><ETag>"whole"</ETag></CompleteMultipartUploadResult>')
      }
      case 'DELETE':
        if (upload === null) objects.delete(key)
        else open.delete(upload)
        return new Response(null, { status: 204 })
      case 'GET': {
        if (key === '') return list(url.searchParams)
        const bytes = objects.get(key)
        return bytes === undefined ? s3Error(404, 'NoSuchKey', 'The specified key does not exist') : new Response(bytes)
      }
      default:
        return s3Error(405, 'MethodNotAllowed')
    }
  }

  function list(query: URLSearchParams): Response {
    const after = Buffer.from(query.get('continuation-token') ?? '', 'base64').toString()
    const keys = [...objects.keys()]
      .filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after)
      .toSorted()
    const page = keys.slice(0, PAGE)
    const contents = page.map(
      (key) =>
        `<Contents><Key>${key}</Key><Size>${objects.get(key)?.length}</Size><LastModified>2026-11-20T12:00:00.000Z</LastModified></Contents>`,
    )
    const token = Buffer.from(page.at(-1) ?? '').toString('base64')
    const more =
      keys.length > PAGE
        ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${token}</NextContinuationToken>`
        : '<IsTruncated>false</IsTruncated>'
    return new Response(
      `<?xml version="1.0"?><ListBucketResult><Name>backups</Name>${more}${contents.join('')}</ListBucketResult>`,
    )
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      try {
        return await answer(request)
      } finally {
        changed()
      }
    },
  })
  const service: S3Service = {
    env: {
      AWS_ACCESS_KEY_ID: 'backup-key',
      AWS_SECRET_ACCESS_KEY: 'backup-secret',
      AWS_REGION: 'eu-central-1',
      AWS_ENDPOINT_URL_S3: server.url.origin,
    },
    objects,
    calls,
    reply: null,
    open,
    until,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
  return service
}
