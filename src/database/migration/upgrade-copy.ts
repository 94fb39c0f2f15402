import { closeSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { syncDirectory, syncFile } from '../../system/durable.ts'
import { freeBytes } from '../../system/space.ts'
import { byteSize } from '../../text/byte-size.ts'
import { DatabaseRefused } from '../database-refused.ts'
import { copyDatabase } from '../offline-database.ts'
import { workDirectoryFor } from '../regular-file.ts'
import { isFull } from '../sqlite-error.ts'

/* The copies that upgrades leave: `<path>.before-8` is the database before migration 8 and those that ran with it. */

const KEPT = 2

export interface Copy {
  readonly copy: string
  readonly bytes: number
}

export function copyName(path: string, to: number): string {
  return `${path}.before-${to}`
}

export function copyDraft(copy: string): string {
  return join(workDirectoryFor(dirname(copy)), `${basename(copy)}.partial`)
}

/**
 * Copies the last committed state of the database at `path`, which uses `bytes` bytes. On a connection of its own, so
 * the caller may hold the write lock. The copy gets its name once it is whole and on disk. Throws `DatabaseRefused` if
 * there is no room.
 */
export function copyBeforeUpgrade(path: string, to: number, bytes: number, free = freeBytes(dirname(path))): Copy {
  const copy = copyName(path, to)
  const draft = copyDraft(copy)
  if (free < bytes) throw noRoom(path, bytes, free)
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

export function dropCopy(path: string, to: number): void {
  rmSync(copyName(path, to), { force: true })
}

/** Returns those erased. */
export function pruneCopies(path: string): readonly string[] {
  const old = copiesOf(path).slice(0, -KEPT)
  for (const { copy } of old) rmSync(copy, { force: true })
  return old.map(({ copy }) => copy)
}

/** The newest copy that a binary with schema `known` can use; `null`: there is none. */
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

/** The user version in the header: 4 bytes at 60, big-endian (sqlite.org/fileformat2, 1.3). */
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
