/** The code of an error of the system, of SQLite or of a library: `ENOSPC`, `SQLITE_FULL`; `null` where it has none. */
export function codeOf(error: unknown): string | null {
  // A DOMException's is a number, and says less than its name.
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

/** What went wrong, in the error's own words. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** What a log line may say of an unknown error: its stack stays on the server. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error)
}

/** What failed first, where what was to be closed after that (`using`) has failed too. */
export function firstFailure(error: unknown): unknown {
  return error instanceof SuppressedError ? firstFailure(error.suppressed) : error
}
