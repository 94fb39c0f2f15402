import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseRefused } from '../database/database-refused.ts'
import { isWithheld } from '../database/sqlite-error.ts'
import { dataFaultOf } from '../database/storage-errors.ts'
import { StartRefused } from '../failure.ts'
import { codeOf, firstFailure } from '../text/error-code.ts'

/** `null`: not a failure that the operator can fix, but a bug. */
export function errorMessage(thrown: unknown): string | null {
  const error = firstFailure(thrown)
  if (error instanceof StartRefused || error instanceof DatabaseRefused) return error.message
  const code = codeOf(error)
  if (!(error instanceof Error) || code === null) return null
  // System errors already name the path.
  if (isWithheld(error)) return `${error.message.replace(/^t/, 'T')}.`
  if (code.startsWith('SQLITE_') || code === 'ENOSPC') return dataFaultOf(error, null)
  // Of errno. Node's own codes start with ERR_ and are bugs.
  if (code === 'ENOENT' && 'path' in error && typeof error.path === 'string') return nowhereText(error.path)
  if (code === 'EACCES' && 'path' in error && typeof error.path === 'string') {
    return `${error.path} is not readable, or not writable there, for this user: use sudo, or run as its owner.`
  }
  if (code === 'ENOTDIR' && 'path' in error && typeof error.path === 'string') {
    return `${error.path} cannot be reached: a part of its path is a file.`
  }
  if (code === 'EIO') {
    return `The disk reported an error (${error.message.replace(/\.$/, '')}): see dmesg for the device.`
  }
  if (!/^E(?!RR_)[A-Z0-9]+$/.test(code)) return null
  return /[.?!]$/.test(error.message) ? error.message : `${error.message}.`
}

function nowhereText(path: string): string {
  const above = dirname(path)
  return existsSync(above)
    ? `There is no ${path}, and it cannot be created there.`
    : `${path} cannot be created or opened: there is no directory ${above}. Create or mount it.`
}
