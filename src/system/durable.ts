import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '../text/error-code.ts'

export function syncFile(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Otherwise a power cut may undo what was created, renamed or removed in the directory. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

/** Gives a finished file its name; `false`, with nothing done, if that name is taken. */
export function giveName(draft: string, path: string): boolean {
  try {
    linkSync(draft, path)
    rmSync(draft)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EEXIST') return false
    // Network shares and memory sticks often have no links. A rename there would replace silently.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'].includes(String(code))) throw error
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) return false
    renameSync(draft, path)
  }
  syncDirectory(dirname(path))
  return true
}
