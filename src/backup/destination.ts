import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import { BUCKET_NAME, bucketIn, isOtherUrl, isInBucket } from '../settings/backup-place.ts'

export type Destination =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'object'; readonly bucket: string; readonly key: string }
  /** `prefix` is `''` or ends in a slash. */
  | { readonly kind: 'prefix'; readonly bucket: string; readonly prefix: string }

/** A Litestream replica. */
export interface Replica {
  readonly kind: 'replica'
  readonly place: Extract<Destination, { readonly kind: 'folder' | 'prefix' }>
  /** Leaves out what was stored later; `null`: nothing. */
  readonly at: number | null
}

/**
 * A path is a folder if it ends in a slash or `isFolder` says so; in a bucket, everything that does not end in `.db`.
 */
export function destinationIn(text: string, isFolder: (path: string) => boolean): Destination | Problem {
  if (isInBucket(text)) return inBucket(text)
  if (isOtherUrl(text)) return problem(`"${text}" is not a place for backups: a path, or s3://bucket/prefix/.`)
  if (text === '' || text.includes('\0')) return problem('A place for backups is a path, or s3://bucket/prefix/.')
  return { kind: text.endsWith('/') || isFolder(text) ? 'folder' : 'file', path: text }
}

export function repositoryPlaceIn(text: string): Extract<Destination, { kind: 'folder' | 'prefix' }> | Problem {
  const found = destinationIn(isInBucket(text) && !text.endsWith('/') ? `${text}/` : text, () => true)
  if (found.kind === 'folder' || found.kind === 'prefix' || found.kind === 'problem') return found
  return problem(`"${text}" is one backup: name the folder, or s3://bucket/prefix/.`)
}

/** `s3://bucket/prefix/name.db`, or a path. */
export function destinationText(to: Destination | Replica): string {
  switch (to.kind) {
    case 'replica':
      return `the Litestream replica ${destinationText(to.place)}`
    case 'file':
    case 'folder':
      return to.path
    case 'object':
      return `s3://${to.bucket}/${to.key}`
    case 'prefix':
      return `s3://${to.bucket}/${to.prefix}`
  }
}

function inBucket(text: string): Destination | Problem {
  const found = bucketIn(text)
  if (found === null) {
    return problem(`"${text}" is not s3://bucket/prefix/ or s3://bucket/name.db, with ${BUCKET_NAME}.`)
  }
  const { bucket, key } = found
  if (key.endsWith('.db')) return { kind: 'object', bucket, key }
  return { kind: 'prefix', bucket, prefix: key === '' || key.endsWith('/') ? key : `${key}/` }
}
