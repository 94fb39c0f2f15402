import { describe, expect, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bucketAccess } from '../../src/backup/bucket-access.ts'
import { openBucket } from '../../src/backup/bucket.ts'
import { readSystemFile } from '../../src/system/read-file.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { s3Error, startS3 } from '../support/s3-service.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const NO_FILE = () => ({ kind: 'problem' as const, problem: 'cannot be read' })

async function bucketOn(name = 'backups', over: Readonly<Record<string, string>> = {}) {
  const s3 = startS3()
  const folder = temporaryDirectory('bellhop-s3')
  const clock = createFakeClock()
  const access = bucketAccess({ ...s3.env, ...over }, NO_FILE)
  if (access.kind === 'problem') throw new Error(access.problem)
  return {
    s3,
    clock,
    folder: folder.path,
    service: new URL(s3.env['AWS_ENDPOINT_URL_S3'] ?? '').host,
    bucket: openBucket({ name, access, clock }),
    async [Symbol.asyncDispose]() {
      await s3[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

describe('a bucket', () => {
  test('takes a file in parts, lists it and gives it back', async () => {
    await using on = await bucketOn()
    const bytes = Buffer.alloc(12 * 1024 * 1024 + 7, 'bellhop ')
    const path = join(on.folder, 'large.db')
    writeFileSync(path, bytes)
    expect(await on.bucket.put('a/large.db', path)).toEqual({ kind: 'answer', value: null })
    expect(on.s3.calls.filter((call) => call.startsWith('PUT'))).toHaveLength(3)
    expect(on.s3.open.size).toBe(0)
    expect(Buffer.compare(on.s3.objects.get('a/large.db') ?? Buffer.of(), bytes)).toBe(0)
    expect(await on.bucket.list('a/')).toEqual({
      kind: 'answer',
      value: [{ key: 'a/large.db', bytes: bytes.length, modifiedAt: Date.parse('2026-11-20T12:00:00.000Z') }],
    })

    const back = join(on.folder, 'back.db')
    expect(await on.bucket.fetch('a/large.db', back)).toEqual({ kind: 'answer', value: null })
    expect(Buffer.compare(readFileSync(back), bytes)).toBe(0)
    expect(statSync(back).mode & 0o777).toBe(0o600)
    expect(await on.bucket.remove('a/large.db')).toEqual({ kind: 'answer', value: null })
    expect(on.s3.objects.size).toBe(0)
  })

  test('is listed to its end, page by page', async () => {
    await using on = await bucketOn()
    const keys = Array.from({ length: 10 }, (_, at) => `a/${at}`)
    for (const key of [...keys, 'b/0']) on.s3.objects.set(key, Buffer.from('x'))
    const listed = await on.bucket.list('a/')
    expect(listed.kind === 'answer' && listed.value.map(({ key }) => key)).toEqual(keys)
    expect(on.s3.calls.length).toBeGreaterThan(2)
  })

  test('a part that fails is sent again', async () => {
    await using on = await bucketOn()
    const path = join(on.folder, 'large.db')
    writeFileSync(path, Buffer.alloc(11 * 1024 * 1024))
    let failures = 0
    on.s3.reply = ({ url }) =>
      url.includes('partNumber=2') && ++failures < 3 ? s3Error(503, 'SlowDown', 'Please slow down.') : undefined
    expect(await on.bucket.put('large.db', path)).toMatchObject({ kind: 'answer' })
    expect(on.s3.objects.get('large.db')).toHaveLength(11 * 1024 * 1024)
  })

  test('an upload that fails for good leaves no object and no parts', async () => {
    await using on = await bucketOn()
    const path = join(on.folder, 'large.db')
    writeFileSync(path, Buffer.alloc(11 * 1024 * 1024))
    on.s3.reply = ({ url }) => (url.includes('partNumber=2') ? s3Error(403, 'AccessDenied') : undefined)
    expect(await on.bucket.put('large.db', path)).toEqual({
      kind: 'problem',
      problem: `${on.service} refuses the bucket "backups": these credentials may not list, read, write and delete there (AccessDenied).`,
    })
    expect(on.s3.objects.size).toBe(0)
    // Bun's client aborts the upload in a call that it does not report.
    await on.s3.until(() => on.s3.open.size === 0)
  })
})

describe('what goes wrong has a sentence', () => {
  test('a bucket that is not there, and a key that is not known', async () => {
    await using none = await bucketOn('nobody')
    expect(await none.bucket.list('')).toEqual({
      kind: 'problem',
      problem: `${none.service} refuses the bucket "nobody": there is no bucket with this name (NoSuchBucket).`,
    })
    await using unknown = await bucketOn('backups', { AWS_ACCESS_KEY_ID: 'other-key' })
    expect(await unknown.bucket.list('')).toEqual({
      kind: 'problem',
      problem: `${unknown.service} refuses the bucket "backups": it does not know AWS_ACCESS_KEY_ID (InvalidAccessKeyId).`,
    })
  })

  test('a backup that is not there', async () => {
    await using on = await bucketOn()
    expect(await on.bucket.fetch('a/none.db', join(on.folder, 'none.db'))).toEqual({
      kind: 'problem',
      problem: `${on.service} refuses the bucket "backups": there is no such backup in it (NoSuchKey).`,
    })
  })

  test('a service that fails, or is not one of S3', async () => {
    await using on = await bucketOn()
    on.s3.reply = () => s3Error(500, 'InternalError', 'We failed.')
    expect(await on.bucket.list('')).toEqual({
      kind: 'problem',
      problem: `${on.service} failed on the bucket "backups": We failed (InternalError).`,
    })
    on.s3.reply = () => new Response('<html>nginx\n502</html>', { status: 502 })
    expect(await on.bucket.list('')).toEqual({
      kind: 'problem',
      problem: `${on.service} failed on the bucket "backups": <html>nginx 502</html> (UnknownError).`,
    })
  })

  test('nothing listens, and nothing answers', async () => {
    await using dead = await bucketOn('backups', { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1' })
    expect(await dead.bucket.list('')).toEqual({
      kind: 'problem',
      problem: '127.0.0.1:1 cannot be reached: nothing listens there.',
    })
    await using on = await bucketOn()
    const called = Promise.withResolvers<void>()
    on.s3.reply = () => {
      called.resolve()
      return new Promise(() => {})
    }
    const listed = on.bucket.list('')
    await called.promise
    on.clock.advance(60_000)
    expect(await listed).toEqual({ kind: 'problem', problem: `${on.service} cannot be reached: it does not answer.` })
  })
})

describe('how a bucket is reached', () => {
  const credentials = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' }

  test('S3_ goes before AWS_, and a secret may be in a file', () => {
    using folder = temporaryDirectory('bellhop-s3')
    writeFileSync(join(folder.path, 'secret'), 'from-file\n')
    const env = {
      AWS_ACCESS_KEY_ID: 'aws',
      S3_ACCESS_KEY_ID: 's3',
      AWS_SECRET_ACCESS_KEY_FILE: join(folder.path, 'secret'),
      AWS_DEFAULT_REGION: 'eu-west-1',
      AWS_ENDPOINT_URL: 'https://s3.example',
      S3_ENDPOINT: '',
    }
    expect(bucketAccess(env, readSystemFile)).toEqual({
      kind: 'access',
      accessKeyId: 's3',
      secretAccessKey: 'from-file',
      sessionToken: null,
      region: 'eu-west-1',
      endpoint: 'https://s3.example',
    })
  })

  test('what is missing or wrong is named', () => {
    expect(bucketAccess({}, NO_FILE)).toEqual({
      kind: 'problem',
      problem:
        "There are no credentials for the bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and for other services than Amazon's AWS_ENDPOINT_URL_S3.",
    })
    expect(bucketAccess({ ...credentials, S3_ENDPOINT: 'minio:9000' }, NO_FILE)).toEqual({
      kind: 'problem',
      problem:
        'S3_ENDPOINT: "minio:9000" is not the address of an S3 service, such as https://s3.eu-central-1.amazonaws.com.',
    })
    expect(bucketAccess({ AWS_SECRET_ACCESS_KEY_FILE: '/none', AWS_ACCESS_KEY_ID: 'a' }, NO_FILE)).toEqual({
      kind: 'problem',
      problem: 'AWS_SECRET_ACCESS_KEY: the file /none of AWS_SECRET_ACCESS_KEY_FILE cannot be read.',
    })
  })
})
