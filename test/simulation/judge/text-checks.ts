import type { Phone } from './phones.ts'
import { rootOf } from './pushes.ts'
import type { Push, Send } from './pushes.ts'
import type { Verdict } from './verdict.ts'
import { LANGUAGES, LOCALES } from '../steps/step.ts'

/** Judges a notification's language, and the name by which it replaces others. */
export class TextChecks {
  readonly #verdict: Verdict

  constructor(verdict: Verdict) {
    this.#verdict = verdict
  }

  check(push: Push, phone: Phone, { arrival }: Send): void {
    const { number } = rootOf(push)
    const isTranslated = push.step.translated === true
    const texts = [textOf(number, ''), ...(isTranslated ? LANGUAGES.map((language) => textOf(number, language)) : [])]
    // An earlier read may have seen the earlier language.
    const isKnown = phone.locale !== null && phone.calls === 0 && phone.localeAt < push.askedAt
    const own = LOCALES[(phone.locale ?? '') as keyof typeof LOCALES]
    const isOwn = arrival.text === textOf(number, isTranslated ? own : '')
    this.#verdict.expect(
      isKnown ? isOwn : texts.includes(arrival.text),
      'text-is-of-its-language',
      () => `push ${push.number} told phone ${phone.number}, set to "${phone.locale}", "${arrival.text}"`,
    )
    const { collapse = push.id ?? arrival.id } = push.step
    const topic = phone.platform === 2 && push.step.collapse !== undefined ? topicOf(push.step.collapse) : null
    this.#verdict.expect(
      arrival.collapse === collapse && arrival.topic === topic,
      'replaces-by-its-name',
      () =>
        `push ${push.number} went to phone ${phone.number} as ${arrival.collapse} with topic ${arrival.topic}, not as ${collapse} with ${topic}`,
    )
  }

  saw(push: Push, { languages = [], language_unknown: unknown = null, s, failed }: any): void {
    if (push.step.translated !== true || unknown === null) return
    const sum = (of: 's' | 'failed') => languages.reduce((all: number, one: any) => all + one[of], unknown[of])
    this.#verdict.expect(
      unknown.s === 0 && unknown.failed >= 0 && sum('s') === s && sum('failed') === failed.total,
      'counts-add-up',
      () => `push ${push.number} counts ${JSON.stringify(languages)}, and for nobody ${JSON.stringify(unknown)}`,
    )
    for (const { language, s: count } of languages) {
      const text = textOf(rootOf(push).number, language ?? '')
      const taken = [...push.sends.values()].flat().filter(({ arrival, answeredAt, reply }) => {
        return arrival.text === text && answeredAt !== null && reply.says === 'accepted'
      })
      this.#verdict.expect(
        count <= taken.length,
        'counts-are-true',
        () => `push ${push.number} counts ${count} in language ${language}, and ${taken.length} were taken`,
      )
    }
  }
}

/** `''`: its own language. */
export function textOf(push: number, language: string): string {
  return language === '' ? `push ${push}` : `push ${push} ${language}`
}

/**
 * "No more than 32 characters from the URL and filename safe Base 64 alphabet" (RFC 8030, 5.4), and a length possible
 * in base64.
 */
function topicOf(collapse: string): string {
  const isTopic = /^[\w-]{1,32}$/.test(collapse) && collapse.length % 4 !== 1
  return isTopic ? collapse : new Bun.CryptoHasher('sha256').update(collapse).digest('base64url').slice(0, 32)
}
