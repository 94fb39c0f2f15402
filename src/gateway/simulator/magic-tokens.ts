/**
 * What a magic token gets from a gateway. How tokens ask for it is in `apns-magic-tokens.ts` (in hex) and
 * `fcm-magic-tokens.ts` (in words); `Refusal` names one of that gateway's own answers.
 */
export type MagicAnswer<Refusal> =
  | { readonly kind: 'refuse'; readonly refusal: Refusal }
  /** Refused, and the connection takes one request at a time until one is accepted. */
  | { readonly kind: 'narrow'; readonly refusal: Refusal }
  /** Accepted, after `slowMs`. */
  | { readonly kind: 'slow' }
  /** Accepted, and the connection takes no more requests: GOAWAY without error. */
  | { readonly kind: 'farewell' }
  | { readonly kind: 'reset'; readonly code: number }
  | { readonly kind: 'goaway'; readonly code: number }
  /** GOAWAY without error, which says that no request was looked at, and why. */
  | { readonly kind: 'parting'; readonly word: string }
  | { readonly kind: 'silent' }
  | { readonly kind: 'close' }

export interface MagicToken<Refusal> {
  readonly answer: MagicAnswer<Refusal>
  /** How many requests for the token get this; those after it are accepted. `Infinity`: all. */
  readonly times: number
}

/** HTTP/2 error codes (RFC 9113, 7). */
const INTERNAL_ERROR = 0x2
const REFUSED_STREAM = 0x7
const ENHANCE_YOUR_CALM = 0xb

/** The answers that are the same for both gateways, by the FCM word. */
export const TRANSPORT_ANSWERS = {
  slow: { kind: 'slow' },
  farewell: { kind: 'farewell' },
  reset: { kind: 'reset', code: INTERNAL_ERROR },
  refused: { kind: 'reset', code: REFUSED_STREAM },
  goaway: { kind: 'goaway', code: ENHANCE_YOUR_CALM },
  silent: { kind: 'silent' },
  close: { kind: 'close' },
} as const satisfies Record<string, MagicAnswer<never>>

/** Counts requests for tokens whose magic wears off. Remembers the latest 10,000 such tokens. */
export function createMagicTokens<Refusal>(): (
  token: string,
  magic: MagicToken<Refusal>,
) => MagicAnswer<Refusal> | null {
  const served = new Map<string, number>()
  return (token, { answer, times }) => {
    if (times === Infinity) return answer
    const before = served.get(token) ?? 0
    if (before >= times) return null
    if (before === 0 && served.size >= MAX_TOKENS) {
      for (const oldest of served.keys()) {
        served.delete(oldest)
        break
      }
    }
    served.set(token, before + 1)
    return answer
  }
}

const MAX_TOKENS = 10_000
