import { closeSync, existsSync, openSync, readSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { foldLog } from '../../database/checkpoint/move-log.ts'
import { isFull, isSqliteError } from '../../database/sqlite-error.ts'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import type { Bucket } from '../bucket.ts'
import { destinationText } from '../destination.ts'
import type { Replica } from '../destination.ts'
import type { BackupWatch } from '../watch.ts'
import { missingText, planRestore } from './generation.ts'
import type { ReplicaFile, Segment } from './generation.ts'
import { decodeLz4 } from './lz4.ts'

interface Options {
  readonly from: Replica
  /** Does not exist yet. */
  readonly into: string
  readonly openBucket: (name: string) => Bucket | Problem
  readonly watch: BackupWatch
}

/**
 * Makes a database from a replica of Litestream 0.3, unchecked. Not by `litestream restore`: if a part of a WAL file is
 * missing, 0.3.13 exits with 0 and leaves a malformed or older database.
 */
export async function fetchReplica({
  from,
  into,
  ...means
}: Options): Promise<{ readonly copiedAt: number } | Problem> {
  const store = storeAt(from.place, { ...means, scratch: `${into}.lz4` })
  if ('kind' in store) return store
  const files = await store.list()
  if ('kind' in files) return files
  const plan = planRestore(files, from.at)
  const where = destinationText(from.place)
  if (plan.kind === 'problem') return problem(`${where}: ${plan.problem}`)
  try {
    const wrong = (await unpackSnapshot(store, plan.snapshot.name, into)) ?? (await foldSegments(store, plan, into))
    return wrong === null ? plan : problem(`${where}: ${wrong}`)
  } catch (error) {
    if (!isSqliteError(error) || isFull(error)) throw error
    return problem(`${where}: ${plan.folder} does not make a database: ${error.message} (${error.code}).`)
  }
}

async function unpackSnapshot(store: Store, name: string, into: string): Promise<string | null> {
  const unpacked = await unpack(store, name, into)
  if ('problem' in unpacked) return unpacked.problem
  const { checksum, bytes } = unpacked
  // Frames of a WAL file have checksums of SQLite's. Pages do not.
  const isSame = checksum === null || (bytes > 0 && Bun.hash.xxHash32(Bun.mmap(into)) === checksum)
  return isSame ? null : `${name} is damaged: its checksum differs.`
}

async function foldSegments(
  store: Store,
  { folder, segments }: { readonly folder: string; readonly segments: readonly Segment[] },
  into: string,
): Promise<string | null> {
  const wal = `${into}-wal`
  let bytes = 0
  for (const [at, { index, offset, name }] of segments.entries()) {
    if (offset !== bytes) return missingText(folder, index, bytes)
    const unpacked = await unpack(store, name, wal)
    if ('problem' in unpacked) return unpacked.problem
    bytes += unpacked.bytes
    if (segments[at + 1]?.index === index) continue
    const frames = framesIn(wal, bytes)
    if (foldLog(into) !== frames)
      return `${name}, or one before it with its index, is damaged: SQLite does not take all of it.`
    rmSync(wal, { force: true })
    bytes = 0
  }
  return null
}

const WAL_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

/** See sqlite.org/fileformat2, "WAL File Format". */
function framesIn(wal: string, bytes: number): number {
  const header = Buffer.alloc(WAL_HEADER_BYTES)
  const file = openSync(wal, 'r')
  readSync(file, header)
  closeSync(file)
  return (bytes - WAL_HEADER_BYTES) / (FRAME_HEADER_BYTES + header.readUInt32BE(8))
}

async function unpack(
  store: Store,
  name: string,
  into: string,
): Promise<{ bytes: number; checksum: number | null } | Problem> {
  const path = await store.fetch(name)
  if (typeof path !== 'string') return path
  const file = openSync(into, 'a', 0o600)
  try {
    const decoded = decodeLz4(statSync(path).size === 0 ? new Uint8Array() : Bun.mmap(path), (content) => {
      for (let at = 0; at < content.length;) at += writeSync(file, content, at)
    })
    return decoded.kind === 'damaged' ? problem(`${name} ${decoded.what}.`) : decoded
  } finally {
    closeSync(file)
  }
}

const GENERATIONS = 'generations/'

interface Store {
  list(): Promise<readonly ReplicaFile[] | Problem>
  /** The path of the file, or of a copy, which the next call replaces. */
  fetch(name: string): Promise<string | Problem>
}

function storeAt(
  place: Replica['place'],
  { scratch, openBucket, watch }: Omit<Options, 'from' | 'into'> & { readonly scratch: string },
): Store | Problem {
  if (place.kind === 'folder') {
    const at = (name: string) => join(place.path, name)
    return {
      async list() {
        if (!existsSync(at(GENERATIONS))) return []
        return readdirSync(at(GENERATIONS), { recursive: true, encoding: 'utf8' }).flatMap((below) => {
          const name = GENERATIONS + below
          const found = statSync(at(name), { throwIfNoEntry: false })
          return found?.isFile() === true ? [{ name, modifiedAt: found.mtimeMs }] : []
        })
      },
      fetch: async (name) => at(name),
    }
  }
  const bucket = openBucket(place.bucket)
  if ('kind' in bucket) return bucket
  return {
    async list() {
      const listed = await bucket.list(place.prefix + GENERATIONS)
      if (listed.kind === 'problem') return listed
      return listed.value.map(({ key, modifiedAt }) => ({ name: key.slice(place.prefix.length), modifiedAt }))
    },
    async fetch(name) {
      rmSync(scratch, { force: true })
      const fetched = await bucket.fetch(place.prefix + name, scratch, watch.moved)
      return fetched.kind === 'problem' ? fetched : scratch
    },
  }
}
