import type { Draft } from './draft.ts'

type Texts = Readonly<Record<string, string>>

/** The texts of a draft by canonical language tag; empty where its JSON is not that. */
export function languagesIn({ languages = '' }: Draft): Readonly<Record<string, Texts>> {
  try {
    const read: unknown = JSON.parse(languages)
    return Object.fromEntries(entriesOf(read).map(([tag, texts]) => [canonicalTag(tag) ?? tag, textsIn(texts)]))
  } catch {
    return {}
  }
}

/** The draft as devices of a language get it; `null`: its own text. */
export function inLanguage(draft: Draft, language: string | null): Draft {
  return { ...draft, ...own(draft, language) }
}

/** The texts of a language that differ from the push's own. */
export function own(draft: Draft, language: string | null): Texts {
  return language === null ? draft : (languagesIn(draft)[language] ?? {})
}

/** `languages` with a text changed; `''` removes it, so that the push's text counts. */
export function withText(draft: Draft, language: string, name: string, text: string): string {
  const { [name]: _, ...rest } = own(draft, language)
  return JSON.stringify({ ...languagesIn(draft), [language]: text === '' ? rest : { ...rest, [name]: text } })
}

export function withLanguage(draft: Draft, language: string): string {
  return JSON.stringify({ ...languagesIn(draft), [language]: {} })
}

/** `languages` without one of them; `''`: none is left. */
export function withoutLanguage(draft: Draft, language: string): string {
  const { [language]: _, ...rest } = languagesIn(draft)
  return Object.keys(rest).length === 0 ? '' : JSON.stringify(rest)
}

/** BCP 47: `pt_br` is pt-BR. `null`: not a tag. */
export function canonicalTag(typed: string): string | null {
  try {
    return Intl.getCanonicalLocales(typed.trim().replaceAll('_', '-'))[0] ?? null
  } catch {
    return null
  }
}

/** `German (de)`, in the browser's language; `null`: the push's text. */
export function languageName(language: string | null): string {
  if (language === null) return 'Everybody else'
  const tag = canonicalTag(language)
  const name = tag === null ? language : new Intl.DisplayNames(undefined, { type: 'language' }).of(tag)
  return name === undefined || name === tag ? language : `${name} (${language})`
}

function textsIn(texts: unknown): Texts {
  return Object.fromEntries(entriesOf(texts).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

function entriesOf(read: unknown): [string, unknown][] {
  return typeof read === 'object' && read !== null && !Array.isArray(read) ? Object.entries(read) : []
}
