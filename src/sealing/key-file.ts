import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { giveToOwnerOf } from '../database/regular-file.ts'
import { syncDirectory } from '../system/durable.ts'
import { codeOf } from '../text/error-code.ts'

/*
 * Key files are never half written, and each change of a name is on disk when the function returns: a power cut could
 * otherwise take the key away, and with it everything sealed since.
 */

/**
 * Writes a key in base64, mode 600; `false` if the file exists, which stays as it is. `within`: the data directory,
 * whose owner must be able to open it even if root creates it; `null`: elsewhere.
 */
export function createKeyFile(path: string, key: Uint8Array, within: string | null): boolean {
  // Written under another name and then linked, so that a crash leaves no partial key file.
  const draft = `${path}.${randomUUID()}`
  const descriptor = openSync(draft, 'wx', 0o600)
  try {
    // Not `writeSync`, which may write only a part of it (write(2)).
    writeFileSync(descriptor, `${Buffer.from(key).toString('base64')}\n`)
    if (within !== null) giveToOwnerOf(within, descriptor)
    fsyncSync(descriptor)
    linkSync(draft, path)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    closeSync(descriptor)
    rmSync(draft)
  }
  syncDirectory(dirname(path))
  return true
}

/** A second name for the same file; `false` if that name is taken. */
export function linkKeyFile(path: string, second: string): boolean {
  try {
    linkSync(path, second)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
  syncDirectory(dirname(second))
  return true
}

/** Replaces `to`, atomically. */
export function renameKeyFile(from: string, to: string): void {
  renameSync(from, to)
  syncDirectory(dirname(to))
}

export function removeKeyFile(path: string): void {
  rmSync(path, { force: true })
  syncDirectory(dirname(path))
}
