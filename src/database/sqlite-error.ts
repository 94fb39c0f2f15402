import { codeOf } from '../text/error-code.ts'

/** SQLITE_FULL, or the system's codes for it. */
export function isFull(error: unknown): boolean {
  return /^(SQLITE_FULL|ENOSPC|EDQUOT)$/.test(codeOf(error) ?? '')
}

export function isBusy(error: unknown): boolean {
  return isSqliteError(error) && error.code.startsWith('SQLITE_BUSY')
}

export function isDamage(error: unknown): error is Error & { code: string } {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error) ?? '')
}

/** Unique, not null, a foreign key. */
export function isConstraint(error: unknown): boolean {
  return isSqliteError(error) && error.code.startsWith('SQLITE_CONSTRAINT')
}

/** A trigger keeps the row as it is. Its message says why. */
export function isWithheld(error: unknown): boolean {
  return isSqliteError(error) && error.code === 'SQLITE_CONSTRAINT_TRIGGER'
}

export function isSqliteError(error: unknown): error is Error & { code: string } {
  return codeOf(error)?.startsWith('SQLITE_') === true
}
