import { forgetOldest } from '../../text/forget-oldest.ts'
import { ErrorCode } from '../transport/h2/frames.ts'

/** `apns-magic-tokens.ts` spells these in hex, `fcm-answer.ts` in words. */
export type MagicAnswer<Refusal> =
  | { readonly kind: 'refuse'; readonly refusal: Refusal }
  /** Refused; the connection takes one request at a time until the next success. */
  | { readonly kind: 'narrow'; readonly refusal: Refusal }
  | { readonly kind: 'slow' }
  | { readonly kind: 'farewell' }
  | { readonly kind: 'reset'; readonly code: number }
  | { readonly kind: 'goaway'; readonly code: number }
  /** GOAWAY without error: nothing was processed, and why. */
  | { readonly kind: 'parting'; readonly word: string }
  | { readonly kind: 'silent' }
  | { readonly kind: 'close' }

export interface MagicToken<Refusal> {
  readonly answer: MagicAnswer<Refusal>
  /** Later requests are accepted. */
  readonly times: number
}

/** Shared by all gateways, by FCM word. */
export const TRANSPORT_ANSWERS = {
  slow: { kind: 'slow' },
  farewell: { kind: 'farewell' },
  reset: { kind: 'reset', code: ErrorCode.internal },
  refused: { kind: 'reset', code: ErrorCode.refusedStream },
  goaway: { kind: 'goaway', code: ErrorCode.enhanceYourCalm },
  silent: { kind: 'silent' },
  close: { kind: 'close' },
} as const satisfies Record<string, MagicAnswer<never>>

export class MagicWords<Refusal extends string> {
  readonly #answers: ReadonlyMap<string, MagicAnswer<Refusal>>

  constructor(refusals: readonly Refusal[]) {
    const own = refusals.map((refusal) => [refusal, { kind: 'refuse', refusal }] as const)
    this.#answers = new Map<string, MagicAnswer<Refusal>>([...own, ...Object.entries(TRANSPORT_ANSWERS)])
  }

  get all(): readonly string[] {
    return [...this.#answers.keys()]
  }

  find(text: string): MagicToken<Refusal> | null {
    const { word, times } = wordIn(text)
    const answer = this.#answers.get(word)
    return answer === undefined ? null : { answer, times }
  }
}

/** The first word, optionally `-` and a count, then no letter or digit. */
export function wordIn(text: string): { readonly word: string; readonly times: number } {
  const [, word = '', times] = /^([a-z]+)(?:-(\d{1,3}))?(?![a-z0-9])/i.exec(text) ?? []
  return { word, times: times === undefined ? Infinity : Number(times) }
}

/** Counts requests to tokens whose magic wears off. Remembers the latest 10,000. */
export function createMagicTokens<Refusal>(): (
  token: string,
  magic: MagicToken<Refusal>,
) => MagicAnswer<Refusal> | null {
  const served = new Map<string, number>()
  return (token, { answer, times }) => {
    if (times === Infinity) return answer
    const before = served.get(token) ?? 0
    if (before >= times) return null
    served.set(token, before + 1)
    forgetOldest(served, MAX_TOKENS)
    return answer
  }
}

const MAX_TOKENS = 10_000
