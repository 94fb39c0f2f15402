import { closeSync, fsyncSync, openSync, statSync, writeSync } from 'node:fs'
import { MINUTE_MS, within } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import { ensureSpareFiles } from '../system/thread.ts'
import { codeOf } from '../text/error-code.ts'
import type { BucketAccess } from './bucket-access.ts'
import { UNWATCHED_BACKUP } from './watch.ts'
import type { BackupWatch } from './watch.ts'

interface Stored {
  readonly key: string
  readonly bytes: number
  /** 0: unknown. */
  readonly modifiedAt: number
}

type BucketAnswer<Value> = { readonly kind: 'answer'; readonly value: Value } | Problem

export interface Bucket {
  list(prefix: string): Promise<BucketAnswer<readonly Stored[]>>
  /** In parts, so that memory never holds the whole file. */
  put(key: string, file: string, moved?: BackupWatch['moved']): Promise<BucketAnswer<null>>
  /** Writes the object into a new file, mode 600, and syncs it. */
  fetch(key: string, file: string, moved?: BackupWatch['moved']): Promise<BucketAnswer<null>>
  remove(key: string): Promise<BucketAnswer<null>>
  probe(key: string): Promise<BucketAnswer<null>>
}

/** S3 takes 10,000 parts of at least 5 MiB. */
const MIN_PART_BYTES = 5 * 1024 * 1024
const MAX_PARTS = 9_000

/** Bun's client waits 6 minutes for an answer (measured), and then tries again. */
const CALL_MS = MINUTE_MS

/** For one part or two: 35 kB a second. */
const PART_MS = 5 * MINUTE_MS

const LATE = Symbol('late')

interface Options {
  readonly name: string
  readonly access: BucketAccess
  readonly clock: Pick<Clock, 'after'>
}

export function openBucket({ name, access, clock }: Options): Bucket {
  const { accessKeyId, secretAccessKey, sessionToken, region, endpoint } = access
  const service = endpoint === null ? 'Amazon S3' : new URL(endpoint).host
  const client = new Bun.S3Client({
    bucket: name,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== null && { sessionToken }),
    ...(region !== null && { region }),
    ...(endpoint !== null && { endpoint }),
  })

  async function attempt<Value>(work: () => Promise<Value>): Promise<BucketAnswer<Value>> {
    try {
      ensureSpareFiles()
      return { kind: 'answer', value: await work() }
    } catch (error) {
      if (!(error instanceof Error) || codeOf(error) === null || 'syscall' in error) throw error
      return problem(bucketProblem(error, name, service))
    }
  }

  /** Late work continues, and ends with the process. */
  async function inTime<Value>(limitMs: number, work: Promise<Value>): Promise<Value> {
    const value = await within(clock, limitMs, work, LATE)
    if (value === LATE) throw Object.assign(new Error(), { code: 'Timeout' })
    return value
  }

  async function listed(prefix: string): Promise<readonly Stored[]> {
    const found: Stored[] = []
    let next: string | undefined
    do {
      const page = await inTime(
        CALL_MS,
        client.list({ prefix, ...(next !== undefined && { continuationToken: next }) }),
      )
      found.push(
        ...(page.contents ?? []).map(({ key, size, lastModified = '' }) => ({
          key,
          bytes: size ?? 0,
          modifiedAt: Date.parse(lastModified) || 0,
        })),
      )
      next = page.isTruncated === true ? page.nextContinuationToken : undefined
    } while (next !== undefined)
    return found
  }

  async function uploaded(key: string, path: string, moved: BackupWatch['moved']): Promise<null> {
    const { size } = statSync(path)
    const partSize = Math.max(MIN_PART_BYTES, Math.ceil(size / MAX_PARTS))
    const writer = client.file(key).writer({ partSize, queueSize: 2, retry: 3, type: 'application/vnd.sqlite3' })
    moved(0, size)
    for (let at = 0; at < size; at += partSize) {
      await writer.write(
        await Bun.file(path)
          .slice(at, at + partSize)
          .bytes(),
      )
      await inTime(PART_MS, Promise.resolve(writer.flush()))
      moved(Math.min(at + partSize, size), size)
    }
    await inTime(PART_MS, Promise.resolve(writer.end()))
    return null
  }

  async function downloaded(key: string, path: string, moved: BackupWatch['moved']): Promise<null> {
    const total = (await listed(key)).find((stored) => stored.key === key)?.bytes ?? null
    const file = openSync(path, 'wx', 0o600)
    let taken = 0
    try {
      const reader = client.file(key).stream().getReader()
      for (;;) {
        const { done, value } = await inTime(CALL_MS, reader.read())
        if (done) break
        for (let at = 0; at < value.length;) at += writeSync(file, value, at)
        moved((taken += value.length), total)
      }
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    return null
  }

  return {
    list: (prefix) => attempt(() => listed(prefix)),
    put: (key, file, moved = UNWATCHED_BACKUP.moved) => attempt(() => uploaded(key, file, moved)),
    fetch: (key, file, moved = UNWATCHED_BACKUP.moved) => attempt(() => downloaded(key, file, moved)),
    probe: (key) =>
      attempt(async () => {
        await inTime(CALL_MS, client.write(key, '.'))
        await inTime(CALL_MS, client.delete(key))
        return null
      }),
    remove: (key) => attempt(() => inTime(CALL_MS, client.delete(key)).then(() => null)),
  }
}

function bucketProblem(error: unknown, bucket: string, service: string): string {
  const code = codeOf(error) ?? ''
  const said = error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
  const reason = REASONS[code] ?? UNREACHABLE[code]
  if (code in UNREACHABLE) return `${service} cannot be reached: ${reason}.`
  if (reason !== undefined) return `${service} refuses the bucket "${bucket}": ${reason} (${code}).`
  // A proxy may answer with a whole page.
  return `${service} failed on the bucket "${bucket}": ${said.replaceAll(/\s+/g, ' ').slice(0, 200)} (${code}).`
}

/** As Amazon names them (S3 API reference, "Error responses"). */
const REASONS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'there is no bucket with this name',
  AccessDenied: 'these credentials may not list, read, write and delete there',
  AllAccessDisabled: 'it is not readable',
  InvalidAccessKeyId: 'it does not know AWS_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'AWS_SECRET_ACCESS_KEY does not belong to AWS_ACCESS_KEY_ID',
  ExpiredToken: 'AWS_SESSION_TOKEN has expired',
  InvalidToken: 'AWS_SESSION_TOKEN is not valid',
  RequestTimeTooSkewed: 'the clock of this machine is wrong',
  PermanentRedirect: 'it is in another region: set AWS_REGION',
  AuthorizationHeaderMalformed: 'it is in another region: set AWS_REGION',
  IllegalLocationConstraintException: 'it is in another region: set AWS_REGION',
  NoSuchKey: 'there is no such backup in it',
  QuotaExceeded: 'it is full',
  EntityTooLarge: 'the backup is larger than it takes',
}

const UNREACHABLE: Readonly<Record<string, string>> = {
  ConnectionRefused: 'nothing listens there',
  ConnectionClosed: 'the connection was closed',
  ECONNRESET: 'the connection was closed',
  DNSResolveFailed: 'its name is not known',
  FailedToOpenSocket: 'could not connect',
  Timeout: 'it does not answer',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted (NODE_EXTRA_CA_CERTS may name a file with one that is)',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted (NODE_EXTRA_CA_CERTS may name a file with one that is)',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate is not trusted (NODE_EXTRA_CA_CERTS may name a file with one that is)',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
}
