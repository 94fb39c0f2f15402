import { DAY_MS } from '../clock.ts'

/** What a token is for, from the narrowest: each may do what those before it may, and more. */
export const TOKEN_PURPOSES = ['read', 'send', 'operate', 'administer'] as const

export type TokenPurpose = (typeof TOKEN_PURPOSES)[number]

/** What a token is for, of which nothing was said. */
export const DEFAULT_PURPOSE: TokenPurpose = 'read'

/** Days that a token is good, of which nothing was said. */
export const DEFAULT_TOKEN_DAYS = 90
export const MAX_TOKEN_DAYS = 3650

/** What each is for, in a few words behind its name. */
export const PURPOSE_TEXT: Readonly<Record<TokenPurpose, string>> = {
  read: 'read everything, change nothing',
  send: 'also send, cancel and resend pushes',
  operate: 'also change applications, devices and webhooks, and make backups',
  administer: 'also add and remove administrators and tokens',
}

/** Whether a token for `has` may do what `needed` is the least for. */
export function isEnough(has: TokenPurpose, needed: TokenPurpose): boolean {
  return TOKEN_PURPOSES.indexOf(has) >= TOKEN_PURPOSES.indexOf(needed)
}

/** Why a token may not do something. */
export function lesserPurposeText(has: TokenPurpose, needed: TokenPurpose): string {
  const enough = TOKEN_PURPOSES.filter((purpose) => isEnough(purpose, needed))
  const needs = enough.length === 1 ? needed : `${needed}, or a broader one`
  return `This token is for ${has}; this call needs one for ${needs}.`
}

/**
 * When a token ends that is made at `now` for so many days, or for as many as one is by default (`undefined`). `null`: never.
 * Whoever makes it may be a token that ends itself, at `latest`: what would outlive it is `'too-late'`.
 */
export function tokenEnd(now: number, days: number | 'never' | undefined, latest: number | null) {
  const end = days === 'never' ? null : now + (days ?? DEFAULT_TOKEN_DAYS) * DAY_MS
  if (latest === null || (end !== null && end <= latest)) return end
  return days === undefined ? latest : 'too-late'
}
