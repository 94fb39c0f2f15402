import { closeSync, openSync, readdirSync, readSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { syncDirectory, syncFile } from '../../system/durable.ts'
import { byteSize } from '../../text/byte-size.ts'
import { DatabaseRefused } from '../database-refused.ts'
import { copyDatabase } from '../offline-database.ts'
import { workDirectoryFor } from '../regular-file.ts'
import { isFull } from '../sqlite-error.ts'

/* The copies that upgrades leave: `<path>.before-8` is the database as it was before migration 8 and those with it. */

/** Copies that stay: of this upgrade, and of the one before. */
const KEPT = 2

export interface Copy {
  readonly copy: string
  readonly bytes: number
}

export function copyName(path: string, to: number): string {
  return `${path}.before-${to}`
}

/** What a copy is called until it is whole. */
export function copyDraft(copy: string): string {
  return join(workDirectoryFor(dirname(copy)), `${basename(copy)}.partial`)
}

/**
 * Copies the database at `path`, of which `bytes` bytes are in use, as it was last committed; by a connection of its
 * own, so that the caller may hold the write lock meanwhile. The copy has its name when it is whole and on disk.
 * Throws `DatabaseRefused` where there is no room.
 */
export function copyBeforeUpgrade(path: string, to: number, bytes: number, free = freeBytes(path)): Copy {
  const copy = copyName(path, to)
  const draft = copyDraft(copy)
  if (free < bytes) throw noRoom(path, bytes, free)
  // What a process that was killed has left.
  rmSync(draft, { force: true })
  try {
    copyDatabase(path, draft, dirname(path))
    syncFile(draft)
    renameSync(draft, copy)
    syncDirectory(dirname(copy))
  } catch (error) {
    rmSync(draft, { force: true })
    throw isFull(error) ? noRoom(path, bytes, free) : error
  }
  return { copy, bytes: statSync(copy).size }
}

/** Where an upgrade came to nothing its copy is worth nothing. */
export function dropCopy(path: string, to: number): void {
  rmSync(copyName(path, to), { force: true })
}

/** Erases all but the newest copies; those erased. */
export function pruneCopies(path: string): readonly string[] {
  const old = copiesOf(path).slice(0, -KEPT)
  for (const { copy } of old) rmSync(copy, { force: true })
  return old.map(({ copy }) => copy)
}

/** The copy that a binary which knows no schema beyond `known` can go on with; `null`: there is none. */
export function copyFor(path: string, known: number): string | null {
  return copiesOf(path).findLast(({ copy }) => headerSchemaOf(copy) <= known)?.copy ?? null
}

/** Oldest first. */
function copiesOf(path: string): readonly { readonly copy: string; readonly to: number }[] {
  const prefix = `${basename(path)}.before-`
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix) && /^\d{1,9}$/.test(name.slice(prefix.length)))
    .map((name) => ({ copy: join(dirname(path), name), to: Number(name.slice(prefix.length)) }))
    .toSorted((a, b) => a.to - b.to)
}

/** The user version stands in the header: 4 bytes at 60, big-endian (sqlite.org/fileformat2, 1.3). */
export function headerSchemaOf(copy: string): number {
  const file = openSync(copy, 'r')
  try {
    const header = Buffer.alloc(64)
    return readSync(file, header) === header.length ? header.readUInt32BE(60) : Number.POSITIVE_INFINITY
  } finally {
    closeSync(file)
  }
}

function noRoom(path: string, bytes: number, free: number): DatabaseRefused {
  return new DatabaseRefused(
    `There is no room to copy the database ${path} (${byteSize(bytes)}) before its upgrade: ${byteSize(free)} are free. Nothing has changed, and the version before still runs on it. Make room and start again.`,
  )
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path))
  return bavail * bsize
}
