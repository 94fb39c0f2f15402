import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import { moment } from '../../text/format.ts'

export interface ReplicaFile {
  readonly name: string
  readonly modifiedAt: number
}

export interface Segment extends ReplicaFile {
  readonly index: number
  /** In that file, in bytes. */
  readonly offset: number
}

interface Plan {
  readonly kind: 'plan'
  /** `generations/…/`. */
  readonly folder: string
  readonly snapshot: ReplicaFile
  /** In order. No WAL file is missing in between, but a part of one may be. */
  readonly segments: readonly Segment[]
  /** When the newest of these files was stored. */
  readonly copiedAt: number
}

const FILE =
  /^(generations\/[\da-f]{16}\/)(?:snapshots\/([\da-f]{8})\.snapshot|wal\/([\da-f]{8})_([\da-f]{8})\.wal)\.lz4$/

/**
 * What to restore of a replica of Litestream 0.3 (litestream.io/how-it-works): its newest generation, from the newest
 * snapshot on. `at`: ignores what was stored later; `null`: nothing.
 */
export function planRestore(files: readonly ReplicaFile[], at: number | null): Plan | Problem {
  const named = files.flatMap((file) => {
    const [, folder, snapshot, index, offset = ''] = FILE.exec(file.name) ?? []
    if (folder === undefined) return []
    const number = Number.parseInt(snapshot ?? index ?? '', 16)
    return [{ ...file, folder, isSnapshot: index === undefined, index: number, offset: Number.parseInt(offset, 16) }]
  })
  const [first] = named.toSorted((a, b) => a.modifiedAt - b.modifiedAt)
  if (first === undefined)
    return problem('There is no replica of Litestream 0.3, which is a folder generations/. (0.5 writes ltx/ instead.)')
  const usable = at === null ? named : named.filter(({ modifiedAt }) => modifiedAt <= at)
  const newest = usable.toSorted((a, b) => b.modifiedAt - a.modifiedAt)[0]
  if (newest === undefined) return problem(`--at: the replica begins at ${moment(first.modifiedAt)}.`)

  const { folder } = newest
  const own = usable
    .filter((file) => file.folder === folder)
    .toSorted((a, b) => a.index - b.index || a.offset - b.offset)
  const snapshot = own.findLast(({ isSnapshot }) => isSnapshot)
  if (snapshot === undefined) return problem(`${folder}snapshots/ has no snapshot, so nothing of it can be restored.`)
  const segments = own.filter(({ isSnapshot, index }) => !isSnapshot && index >= snapshot.index)
  let expected = snapshot.index
  for (const { index, offset } of segments) {
    if (offset === 0 && index === expected) expected++
    else if (index !== expected - 1) return problem(missingText(folder, expected, 0))
  }
  // Litestream stores the start of a WAL file right after its snapshot.
  if (segments.length === 0) return problem(missingText(folder, expected, 0))
  const copiedAt = Math.max(...[snapshot, ...segments].map(({ modifiedAt }) => modifiedAt))
  return { kind: 'plan', folder, snapshot, segments, copiedAt }
}

export function missingText(folder: string, index: number, offset: number): string {
  const name = [index, offset].map((number) => number.toString(16).padStart(8, '0')).join('_')
  return `${folder}wal/${name}.wal.lz4 is missing.`
}
