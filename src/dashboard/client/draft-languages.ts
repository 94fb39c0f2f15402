import type { Draft } from './draft.ts'

type Texts = Readonly<Record<string, string>>

/** By canonical language tag. Empty if the draft's JSON is invalid. */
export function languagesIn({ languages = '' }: Draft): Readonly<Record<string, Texts>> {
  try {
    const read: unknown = JSON.parse(languages)
    return Object.fromEntries(entriesOf(read).map(([tag, texts]) => [canonicalTag(tag) ?? tag, textsIn(texts)]))
  } catch {
    return {}
  }
}

/** `language` `null`: the draft's own texts. */
export function inLanguage(draft: Draft, language: string | null): Draft {
  return { ...draft, ...own(draft, language) }
}

export function own(draft: Draft, language: string | null): Texts {
  return language === null ? draft : (languagesIn(draft)[language] ?? {})
}

/** The changed `languages`. `text` `''` removes the text, so the draft's own text is used. */
export function withText(draft: Draft, language: string, name: string, text: string): string {
  const { [name]: _, ...rest } = own(draft, language)
  return JSON.stringify({ ...languagesIn(draft), [language]: text === '' ? rest : { ...rest, [name]: text } })
}

export function withLanguage(draft: Draft, language: string): string {
  return JSON.stringify({ ...languagesIn(draft), [language]: {} })
}

/** The remaining `languages`; `''` if none. */
export function withoutLanguage(draft: Draft, language: string): string {
  const { [language]: _, ...rest } = languagesIn(draft)
  return Object.keys(rest).length === 0 ? '' : JSON.stringify(rest)
}

/** BCP 47: `pt_br` becomes `pt-BR`. `null`: not a tag. */
export function canonicalTag(typed: string): string | null {
  try {
    return Intl.getCanonicalLocales(typed.trim().replaceAll('_', '-'))[0] ?? null
  } catch {
    return null
  }
}

/** `German (de)`, in the browser's language. */
export function languageName(language: string | null): string {
  if (language === null) return 'Everybody else'
  const tag = canonicalTag(language)
  const name = tag === null ? language : new Intl.DisplayNames(undefined, { type: 'language' }).of(tag)
  return name === undefined || name === tag ? language : `${name} (${language})`
}

/** Empty if `texts` is not a JSON object. */
export function textsIn(texts: unknown): Texts {
  return Object.fromEntries(entriesOf(texts).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

function entriesOf(read: unknown): [string, unknown][] {
  return typeof read === 'object' && read !== null && !Array.isArray(read) ? Object.entries(read) : []
}
