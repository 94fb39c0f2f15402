import { closeSync, constants, fstatSync, fsyncSync, lstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncDirectory } from '../../system/durable.ts'

/**
 * A file that has its name only when it is whole; disposed of before, it is deleted. Until then it is
 * `<path>.unfinished`, for its owner only. An existing one is deleted: a killed process left it, or somebody put
 * it there to own what is written.
 */
export function startFile(path: string) {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw Object.assign(new Error(`${path} is a directory: name a file in it`), { code: 'EISDIR' })
  }
  const unfinished = `${path}.unfinished`
  rmSync(unfinished, { force: true })
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const file = openSync(unfinished, flags, 0o600)
  const { ino, dev } = fstatSync(file)
  let isOpen = true
  return {
    write(bytes: Uint8Array): void {
      for (let from = 0; from < bytes.length;) from += writeSync(file, bytes, from)
    },
    /** `durable` false: without waiting for the disk. */
    finish({ durable } = { durable: true }): void {
      if (durable) fsyncSync(file)
      const found = lstatSync(unfinished, { throwIfNoEntry: false })
      if (found?.ino !== ino || found.dev !== dev) {
        throw Object.assign(new Error(`${unfinished} was taken by another process: nothing was changed`), {
          code: 'EBUSY',
        })
      }
      renameSync(unfinished, path)
      closeSync(file)
      isOpen = false
      if (durable) syncDirectory(dirname(path))
    },
    [Symbol.dispose]() {
      if (!isOpen) return
      closeSync(file)
      rmSync(unfinished, { force: true })
    },
  }
}
