import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Problem } from '../application/credential.ts'
import type { Bucket } from './bucket.ts'

/** Where the backups of one service stand, one beside the other. */
export interface Shelf {
  /** All that is there, ours or not. */
  names(): Promise<{ readonly kind: 'names'; readonly names: readonly string[] } | Problem>
  /** The problem, if there was one. */
  remove(name: string): Promise<Problem | null>
}

/** A folder that does not exist is an empty one. */
export function folderShelf(path: string): Shelf {
  return {
    async names() {
      try {
        return { kind: 'names', names: await readdir(path) }
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { kind: 'names', names: [] }
        throw error
      }
    },
    async remove(name) {
      await rm(join(path, name), { force: true })
      return null
    },
  }
}

/** `prefix` is `''` or ends in a slash. */
export function bucketShelf(bucket: Bucket, prefix: string): Shelf {
  return {
    async names() {
      const listed = await bucket.list(prefix)
      if (listed.kind === 'problem') return listed
      return { kind: 'names', names: listed.value.map(({ key }) => key.slice(prefix.length)) }
    },
    async remove(name) {
      const removed = await bucket.remove(prefix + name)
      return removed.kind === 'problem' ? removed : null
    },
  }
}
