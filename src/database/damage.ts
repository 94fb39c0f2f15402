/*
 * Damage of the file that no check of SQLite's has found, since pages carry no checksums. It is told as what SQLite
 * itself finds is told: see `storage-errors.ts` and `corruption-monitor.ts`.
 */

/** `what` is not as Bellhop has written it. */
export function damage(what: string): Error & { readonly code: string } {
  return Object.assign(new Error(`database disk image is malformed: ${what}`), { code: 'SQLITE_CORRUPT' })
}

/** The value of a column of JSON, which Bellhop alone has written. Throws `damage` where it does not read as JSON. */
export function storedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw damage('a value of JSON is none')
  }
}
