/** RFC 5646, section 4.4.1, expects 35 characters without extensions. */
export const MAX_TAG_CHARACTERS = 64

/**
 * Marks the push's own text among several languages; `null`: a push with one text. It is the language range for
 * everything (RFC 4647, section 2.1), not a tag.
 */
export const OWN_TEXT = '*'

/** For callers. `null`: the push's own text. */
export function tagOf(text: string): string | null {
  return text === OWN_TEXT ? null : text
}

/**
 * A BCP 47 tag in canonical form (RFC 5646, section 4.5): `pt_br` is pt-BR, `iw` is he. Also reads identifiers of Apple
 * (`en_US@calendar=buddhist`, without the keywords) and of Java (`zh_CN_#Hans`, with its script last, and
 * `en_US_#u-fw-mon`, without the extensions: Android 14 adds some if the user chose the first day of the week). `null`:
 * no tag.
 */
export function canonicalTag(text: string): string | null {
  const [id = ''] = text.split('@', 1)
  if (id.length > MAX_TAG_CHARACTERS) return null
  const tag = id
    .replace(JAVA, (_, language, country, script) => {
      return `${language}${script === undefined ? '' : `-${script}`}${country === '_' ? '' : country}`
    })
    .replaceAll('_', '-')
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** java.util.Locale, `toString`: language, optional country, optional variant, `#` and script, extensions or both. */
const JAVA = /^([a-z]{2,8})(_[a-z]{2}|_\d{3}|_)(?:_[a-z\d_]+)?_#(?:([a-z]{4})(?:_.*)?|[a-z\d]-.*)$/is

/**
 * Lookup (RFC 4647, section 3.4): removes subtags from the end, and a single letter that is then last, until the tag is
 * `known`. All in canonical form; `null`: no match.
 */
export function lookUpTag(tag: string, known: ReadonlySet<string>): string | null {
  for (let range = tag; range !== ''; range = truncated(range)) {
    if (known.has(range)) return range
  }
  return null
}

function truncated(range: string): string {
  const end = range.lastIndexOf('-')
  if (end === -1) return ''
  return range[end - 2] === '-' ? range.slice(0, end - 2) : range.slice(0, end)
}
