/** More than any tag in use: RFC 5646, section 4.4.1, speaks of 35 characters without extensions. */
export const MAX_TAG_CHARACTERS = 64

/**
 * In place of a tag where a push has several texts, and its own is meant; `null` is left for one that has no other. No tag,
 * but the language range for everything (RFC 4647, section 2.1).
 */
export const OWN_TEXT = '*'

/** As callers see it: the tag of a language; `null`: the push's text. */
export function tagOf(text: string): string | null {
  return text === OWN_TEXT ? null : text
}

/**
 * A BCP 47 tag in its canonical form (RFC 5646, section 4.5): `pt_br` is pt-BR, `iw` is he. Read are also the identifiers
 * of Apple (`en_US@calendar=buddhist`, of which the keywords say nothing of the language) and of Java
 * (`zh_CN_#Hans`, of which the script is written last, and `en_US_#u-fw-mon`, of which its extensions say nothing of the
 * language; Android 14 has such where somebody has chosen the first day of the week). `null`: it is none.
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

/** java.util.Locale, `toString`: language, country or nothing, variant or nothing, `#` and the script, extensions or both. */
const JAVA = /^([a-z]{2,8})(_[a-z]{2}|_\d{3}|_)(?:_[a-z\d_]+)?_#(?:([a-z]{4})(?:_.*)?|[a-z\d]-.*)$/is

/**
 * The one of `known` that fits a tag best, by RFC 4647, section 3.4 (Lookup): the tag is cut from its end, subtag by
 * subtag, together with a single letter that then stands last, until there is such a one; `null`: there is none. All
 * are in canonical form.
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
