/** `ENOSPC`, `SQLITE_FULL`, or a library's code; `null`: no code. */
export function codeOf(error: unknown): string | null {
  // A DOMException's code is a number, and says less than its name.
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** For the log only: the stack stays on the server. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error)
}

/** The original error, if closing a resource (`using`) failed after it. */
export function firstFailure(error: unknown): unknown {
  return error instanceof SuppressedError ? firstFailure(error.suppressed) : error
}
