import { DAY_MS } from '../clock.ts'

/** From the narrowest: each includes those before it. */
export const TOKEN_PURPOSES = ['read', 'send', 'operate', 'administer'] as const

export type TokenPurpose = (typeof TOKEN_PURPOSES)[number]

export const DEFAULT_PURPOSE: TokenPurpose = 'read'

export const DEFAULT_TOKEN_DAYS = 90
export const MAX_TOKEN_DAYS = 3650

export const PURPOSE_TEXT: Readonly<Record<TokenPurpose, string>> = {
  read: 'read everything, change nothing',
  send: 'also send, cancel and resend pushes',
  operate: 'also change applications, devices and webhooks, and make backups',
  administer: 'also add and remove administrators and tokens',
}

export function isEnough(has: TokenPurpose, needed: TokenPurpose): boolean {
  return TOKEN_PURPOSES.indexOf(has) >= TOKEN_PURPOSES.indexOf(needed)
}

export function lesserPurposeText(has: TokenPurpose, needed: TokenPurpose): string {
  const enough = TOKEN_PURPOSES.filter((purpose) => isEnough(purpose, needed))
  const needs = enough.length === 1 ? needed : `${needed}, or a broader one`
  return `This token is for ${has}; this call needs one for ${needs}.`
}

/**
 * When a token created at `now` expires; `null`: never. `'too-late'`: it would outlive the token that creates it, whose
 * end is `latest`.
 */
export function tokenEnd(now: number, days: number | 'never' | undefined, latest: number | null) {
  const end = days === 'never' ? null : now + (days ?? DEFAULT_TOKEN_DAYS) * DAY_MS
  if (latest === null || (end !== null && end <= latest)) return end
  return days === undefined ? latest : 'too-late'
}
