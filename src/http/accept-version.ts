import satisfiesRange from 'semver/functions/satisfies.js'

export const SERVED_VERSIONS: readonly string[] = ['1.0.0']

/** Characters. */
const MAX_LENGTH = 64

/** Such as `>=1`. A header full of them costs node-semver 0.35 ms and 65 kB of cache, before the caller is known. */
const MAX_COMPARATORS = 4

/** Strangers may send any. */
const MAX_REMEMBERED = 256

const answers = new Map<string, boolean>()

/** Whether a served version is in `range`, as node-semver 7 reads it. `false` for an invalid range. */
export function satisfies(range: string): boolean {
  const known = answers.get(range)
  if (known !== undefined) return known
  if (range.length > MAX_LENGTH) return false
  const answer = isRange(range) && SERVED_VERSIONS.some((version) => satisfiesRange(version, range))
  if (answers.size >= MAX_REMEMBERED) answers.clear()
  answers.set(range, answer)
  return answer
}

/** node-semver reads blank text as `*`, but a blank header chooses no version. */
function isRange(text: string): boolean {
  const comparators = text.split(/\s+|\|\|/)
  return comparators.length <= MAX_COMPARATORS && text.trim() !== ''
}
