/*
 * Damage that no check of SQLite's has found, since pages carry no checksums. Reported like SQLite's own: see
 * `storage-errors.ts` and `corruption-monitor.ts`.
 */

export function damage(what: string): Error & { readonly code: string } {
  return Object.assign(new Error(`database disk image is malformed: ${what}`), { code: 'SQLITE_CORRUPT' })
}

export function storedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw damage('a value of JSON is none')
  }
}
