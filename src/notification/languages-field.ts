import { invalid, show } from '../http/fields.ts'
import type { Field } from '../http/fields.ts'
import { canonicalTag } from '../text/language-tag.ts'
import { image, link, msg, subtitle, title } from './content-fields.ts'
import { LANGUAGE_FIELDS } from './notification.ts'
import type { Languages, LanguageText } from './notification.ts'

/** More than the stores of Apple and Google know. Each is rendered when a push is accepted, for both gateways. */
const MAX_LANGUAGES = 100

const FIELDS: Readonly<Record<keyof LanguageText, Field<string>>> = { title, subtitle, msg, image, link }

/** The text in other languages. `null`: there is none. */
export const languages: Field<Languages | null> = {
  schema: {
    type: 'object',
    additionalProperties: {
      type: 'object',
      properties: Object.fromEntries(LANGUAGE_FIELDS.map((name) => [name, { type: 'string' }])),
      additionalProperties: false,
    },
    maxProperties: MAX_LANGUAGES,
    description: `The text in other languages, by BCP 47 tag: ${LANGUAGE_FIELDS.join(', ')}, of which what is left out is the push's own. A device gets the one that fits its \`locale\` best (RFC 4647, lookup: zh-Hant-TW, zh-Hant, zh), else the push's own text. At most ${MAX_LANGUAGES}; the 4096 bytes are those of each.`,
  },
  emptyIsAbsent: true,
  read(value, name) {
    const read = new Map<string, LanguageText>()
    for (const [given, text] of Object.entries(objectIn(value, name))) {
      // As everywhere, null is absent.
      if (text === null) continue
      const tag = canonicalTag(given)
      if (tag === null) throw invalid(name, `must be by language tags such as pt-BR, not ${show(given)}`)
      if (read.has(tag))
        throw invalid(`${name}.${tag}`, `must not be given twice, in two spellings, not ${show(given)}`)
      read.set(tag, textIn(text, `${name}.${tag}`))
      if (read.size > MAX_LANGUAGES) throw invalid(name, `must be at most ${MAX_LANGUAGES} languages`)
    }
    return read.size === 0 ? null : Object.fromEntries(read)
  },
}

function textIn(value: unknown, name: string): LanguageText {
  const text: { -readonly [Name in keyof LanguageText]: LanguageText[Name] } = {}
  for (const [key, given] of Object.entries(objectIn(value, name))) {
    const field = LANGUAGE_FIELDS.find((one) => one === key)
    if (given === null) continue
    if (field === undefined) {
      throw invalid(
        `${name}.${key.slice(0, 32)}`,
        `is not a field of a language: these are ${LANGUAGE_FIELDS.join(', ')}`,
      )
    }
    if (given !== '') text[field] = FIELDS[field].read(given, `${name}.${field}`)
  }
  return text
}

function objectIn(value: unknown, name: string): object {
  // What PHP makes of an empty map.
  if (Array.isArray(value) && value.length === 0) return {}
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw invalid(name, `must be an object, not ${show(value)}`)
}
