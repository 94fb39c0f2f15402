import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { giveToOwnerOf } from '../database/regular-file.ts'
import { syncDirectory } from '../system/durable.ts'
import { codeOf } from '../text/error-code.ts'

/* Files that hold a key. None of them is ever seen half written, and each change of a name is on disk when
 * it returns: else a power cut would take it away, and with it what has been sealed since. */

/**
 * Writes a key, in base64, for its owner only; `false` when there is such a file already, which stays as it is. `within`:
 * the data directory, whose owner must be able to open it also when root makes it; `null`: it is put elsewhere.
 */
export function createKeyFile(path: string, key: Uint8Array, within: string | null): boolean {
  // Written under another name and then linked: nobody, and no crash, ever sees a key file that is not whole.
  const draft = `${path}.${randomUUID()}`
  const descriptor = openSync(draft, 'wx', 0o600)
  try {
    // Not `writeSync`, which may write a part of it and say so (write(2)).
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

/** A second name for the same file; `false` when there is such a file already. */
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

/** Gives the file another name; whatever had that name is gone in the same moment. */
export function renameKeyFile(from: string, to: string): void {
  renameSync(from, to)
  syncDirectory(dirname(to))
}

export function removeKeyFile(path: string): void {
  rmSync(path, { force: true })
  syncDirectory(dirname(path))
}
