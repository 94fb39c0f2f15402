import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { syncDirectory } from '../../system/durable.ts'

/**
 * A file that has its name only when it is whole; disposed of before, it is deleted. Until then it is
 * `<path>.unfinished`, for its owner only. An existing one is deleted: a killed process left it, or somebody put
 * it there to own what is written.
 */
export function startFile(path: string) {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    throw refusal('EISDIR', `${path} is a directory: name a file in it`)
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
        throw refusal('EBUSY', `${unfinished} was taken by another process: nothing was changed`)
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

/** For a path that somebody has typed. `force`: replaces an existing file, but none of a data directory. */
export function startNamedFile(path: string, force: boolean): ReturnType<typeof startFile> {
  const there = lstatSync(path, { throwIfNoEntry: false })
  if (there === undefined || there.isDirectory()) return startFile(path)
  const isReplaceable = there.isFile() && !existsSync(join(dirname(path), 'bellhop.db'))
  if (isReplaceable && force) return startFile(path)
  throw refusal('EEXIST', `${path} exists: name another file${isReplaceable ? ', or replace it with --force' : ''}`)
}

function refusal(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
