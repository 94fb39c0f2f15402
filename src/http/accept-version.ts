import satisfiesRange from 'semver/functions/satisfies.js'

/** Every version of the API this binary serves (test/api/http/admission.test.ts). */
export const SERVED_VERSIONS: readonly string[] = ['1.0.0']

/** Characters. */
const MAX_LENGTH = 64

/**
 * Comparators, such as `>=1` and `<2`. A header full of them costs node-semver 0.35 ms and fills its cache with 65 kB
 * each, before the caller is known.
 */
const MAX_COMPARATORS = 4

/** Ranges whose answer is remembered. Clients send a handful; strangers may send anything. */
const MAX_REMEMBERED = 256

const answers = new Map<string, boolean>()

/**
 * Whether a served version lies in `range`, a semver range as node-semver 7 reads it. `false` also for what is no
 * range at all: free text, blank, longer than 64 characters or of more than 4 comparators.
 */
export function satisfies(range: string): boolean {
  const known = answers.get(range)
  if (known !== undefined) return known
  if (range.length > MAX_LENGTH) return false
  const answer = isRange(range) && SERVED_VERSIONS.some((version) => satisfiesRange(version, range))
  if (answers.size >= MAX_REMEMBERED) answers.clear()
  answers.set(range, answer)
  return answer
}

/** node-semver takes blank text for `*`; a header that names no version is not a choice of one. */
function isRange(text: string): boolean {
  const comparators = text.split(/\s+|\|\|/)
  return comparators.length <= MAX_COMPARATORS && text.trim() !== ''
}
