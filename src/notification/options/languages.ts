import { invalid, show } from '../../http/fields.ts'
import { canonicalTag } from '../../text/language-tag.ts'
import type { PushOption } from '../option.ts'
import { image, link } from './links.ts'
import { msg, subtitle, title } from './text.ts'

const TRANSLATED = { title, subtitle, msg, image, link }
const FIELDS = Object.keys(TRANSLATED)

/** What is absent is the push's own. */
export type LanguageText = { readonly [Name in keyof typeof TRANSLATED]?: string }

/** By canonical BCP 47 tag. */
export type Languages = Readonly<Record<string, LanguageText>>

/** More than the stores of Apple and Google know. Each is rendered when a push is accepted. */
const MAX_LANGUAGES = 100

export const languages: PushOption<Languages> = {
  field: {
    schema: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: Object.fromEntries(FIELDS.map((name) => [name, { type: 'string' }])),
        additionalProperties: false,
      },
      maxProperties: MAX_LANGUAGES,
      description: `The text in other languages, by BCP 47 tag: ${FIELDS.join(', ')}, of which what is left out is the push's own. A device gets the one that fits its \`locale\` best (RFC 4647, lookup: zh-Hant-TW, zh-Hant, zh), else the push's text. At most ${MAX_LANGUAGES}; the 4096 bytes are those of each.`,
      example: { de: { msg: 'Hallo' }, 'pt-BR': { msg: 'Olá' } },
    },
    emptyIsAbsent: true,
    read(value, name) {
      const read = new Map<string, LanguageText>()
      for (const [given, text] of entriesOf(value, name)) {
        const tag = canonicalTag(given)
        if (tag === null) throw invalid(name, `must be by language tags such as pt-BR, not ${show(given)}`)
        if (read.has(tag)) throw invalid(`${name}.${tag}`, 'must not be given twice, in two spellings')
        read.set(tag, textIn(text, `${name}.${tag}`))
        if (read.size > MAX_LANGUAGES) throw invalid(name, `must be at most ${MAX_LANGUAGES} languages`)
      }
      return read.size === 0 ? null : Object.fromEntries(read)
    },
  },
  isShown: true,
  flag: {
    placeholder: 'FILE|JSON',
    doc: 'the text in other languages: {"de": {"msg": "Hallo"}}',
    takes: 'json-or-file',
    example: '{"de": {"msg": "Hallo"}}',
  },
  input: { kind: 'json', label: 'Languages', among: 'languages' },
}

function textIn(value: unknown, name: string): LanguageText {
  const texts = entriesOf(value, name).map(([key, given]): [string, string | null] => {
    if (!Object.hasOwn(TRANSLATED, key)) {
      throw invalid(`${name}.${key.slice(0, 32)}`, `is not a field of a language: these are ${FIELDS.join(', ')}`)
    }
    const { field } = TRANSLATED[key as keyof LanguageText]
    return [key, given === '' ? null : field.read(given, `${name}.${key}`)]
  })
  return Object.fromEntries(texts.filter((entry): entry is [string, string] => entry[1] !== null))
}

/** Also of the empty list that PHP makes of an empty map. `null` is absent, as everywhere in the API. */
function entriesOf(value: unknown, name: string): readonly (readonly [string, unknown])[] {
  if (Array.isArray(value) && value.length === 0) return []
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(name, `must be an object, not ${show(value)}`)
  }
  return Object.entries(value).filter(([, inner]) => inner !== null)
}
