import { describe, expect, test } from 'bun:test'
import { shownTexts } from '../scripts/strings.ts'

/** Phrases that were replaced in texts for people, with their replacements. The glossary in the manual is the authority. */
const REFUSED: readonly (readonly [refused: RegExp, instead: string])[] = [
  [/\bgood once\b/, 'works once'],
  [/\bgood for nothing\b/, 'no longer works'],
  [/\bcall(s|ed)? off\b/, 'cancel'],
  [/\bthe beginning of (its|the) (id|token)\b/, 'a prefix of'],
  [/\bbegins? with\b(?!.*`)/, 'starts with'],
  [/\bwhom it is for\b/, 'target'],
  [/\bin whatever state\b/, 'in any state'],
  [/\basked for (rightly|wrongly)\b/, 'usage error'],
  [/\bwhat becomes of\b/i, 'result'],
  [/\btak(e|es|en|ing) away\b/, 'remove'],
  [/\b(is|are|was) over\b(?! API requests quota)/, 'has finished, or ended'],
  [/\bin quarantine\b/, 'quarantined'],
  [/\bdead (device|token)s?\b/, 'unregistered'],
  [/\bset it right\b|\bput (it|them) right\b/, 'fix'],
  [/\bwritten down\b/, 'stored'],
  [/\bcut short\b/, 'truncated'],
  [/\b(is|are) shown this once\b/, 'you won’t see it again'],
  [/\bmust not stand beside\b/, 'can’t be combined with'],
  [/\bexclude each other\b/, 'can’t be combined'],
  [/\bsigned out everywhere\b/, 'all sessions were ended'],
  [/\bnewcomers?\b/, 'new device'],
  [/\bas (it|they) (is|are) now\b.*\bas (it|they) (is|are) now\b/, 'current'],
  [/\bopens TLS in between\b/, 'terminates TLS'],
  [/\bthe log of the database\b/, 'WAL file'],
  [/\bgoes on where\b/, 'continues where'],
  [/\bwork of its own\b|\bof its own accord\b/, 'by itself'],
]

describe('no text for people has a phrase that was replaced', () => {
  const texts = shownTexts()

  test.each(REFUSED.map(([refused, instead]) => [refused.source, instead, refused] as const))(
    '%p: say %p',
    async (_source, _instead, refused) => {
      const found = (await texts).filter(({ text }) => refused.test(text))
      expect(found.map(({ place, text }) => `${place} ${text}`)).toEqual([])
    },
  )

  test('texts of every kind are read', async () => {
    const counts = Object.groupBy(await texts, ({ kind }) => kind)
    for (const [kind, least] of Object.entries({
      dashboard: 500,
      command: 600,
      log: 60,
      message: 1500,
      manual: 1000,
    })) {
      expect([kind, (counts[kind as keyof typeof counts] ?? []).length > least]).toEqual([kind, true])
    }
  })
})
