import { PAGES } from './pages.ts'

export interface FoundPage {
  readonly topic: string
  readonly heading: string
  /** First matching line; `''`: only the heading matches. */
  readonly line: string
}

/** Sections that contain `word`, ignoring case; matches in headings first. */
export function findInManual(word: string): readonly FoundPage[] {
  const wanted = word.toLowerCase()
  const speaks = (text: string) => text.toLowerCase().includes(wanted)
  const found = PAGES.flatMap(({ topic, text }) =>
    partsOf(text).map(({ heading, lines }) => ({ topic, heading, line: lines.find(speaks) ?? '' })),
  ).filter(({ topic, heading, line }) => line !== '' || speaks(heading) || topic === wanted)
  const named = found.filter(({ topic, heading }) => speaks(heading) || topic === wanted)
  return [...named, ...found.filter((part) => !named.includes(part))]
}

function partsOf(text: string): readonly { readonly heading: string; readonly lines: readonly string[] }[] {
  const parts: { heading: string; lines: string[] }[] = []
  let code = false
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) code = !code
    const [, heading] = (code ? null : /^#+ (.+)$/.exec(line)) ?? []
    if (heading === undefined) parts.at(-1)?.lines.push(line)
    else parts.push({ heading, lines: [] })
  }
  return parts
}
