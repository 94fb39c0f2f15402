import { invalid, show } from '../http/fields.ts'
import type { Field } from '../http/fields.ts'
import { canonicalTag, MAX_TAG_CHARACTERS } from '../text/language-tag.ts'

/** The language of a device, as a BCP 47 tag in canonical form; `''` removes it. */
export const locale: Field<string> = {
  schema: {
    type: 'string',
    maxLength: MAX_TAG_CHARACTERS,
    description:
      'The language of the device, as a BCP 47 tag, with - or _: pushes choose their text by it. "" removes it.',
    example: 'pt-BR',
  },
  emptyIsAbsent: false,
  read(value, name) {
    if (value === '') return ''
    const tag = typeof value === 'string' ? canonicalTag(value) : null
    if (tag !== null) return tag
    throw invalid(name, `must be a language tag such as pt-BR, or "" for none, not ${show(value)}`)
  },
}
