/** The code of an error, such as `ECONNREFUSED`; its name where it has none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Error'
  // A DOMException's code is a number that says less than its name.
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
