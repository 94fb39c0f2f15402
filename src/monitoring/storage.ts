import { statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gauge } from './exposition.ts'
import type { Family, SeriesLabels } from './exposition.ts'

export interface Disk {
  /** Available without being root. */
  readonly freeBytes: number
  readonly sizeBytes: number
}

/** `null`: unknown. */
export function diskOf(directory: string): Disk | null {
  try {
    const { bavail, blocks, bsize } = statfsSync(directory)
    return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
  } catch {
    return null
  }
}

export function storageFamilies(directory: string): Family[] {
  const disk = diskOf(directory)
  const files = { db: 'bellhop.db', wal: 'bellhop.db-wal' }
  const sizes = Object.entries(files).map(([file, name]): [SeriesLabels, number] => [
    { file },
    sizeOf(join(directory, name)),
  ])
  return [
    gauge('bellhop_database_bytes', 'The database file and its WAL file.', sizes),
    gauge('bellhop_disk_free_bytes', 'Free space on the data disk.', disk?.freeBytes ?? []),
    gauge('bellhop_disk_size_bytes', 'The size of that disk.', disk?.sizeBytes ?? []),
  ]
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
