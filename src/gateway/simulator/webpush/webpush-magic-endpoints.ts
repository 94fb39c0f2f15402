import { MAX_MESSAGE_BYTES } from '../../webpush/encryption.ts'
import { MagicWords, wordIn } from '../magic-tokens.ts'
import type { MagicToken } from '../magic-tokens.ts'
import { WEBPUSH_REFUSALS } from './webpush-answer.ts'
import type { WebPushRefusal } from './webpush-answer.ts'

/*
 * What is asked for is the word that the last segment of an endpoint's path begins with, spelt as for FCM tokens:
 * perhaps `-` and how often, then anything that is neither letter nor digit, then the rest. Statuses and bodies are those
 * of the push service that is played (see `playedService`): Mozilla's 401 with an errno in place of 403, Microsoft's 406
 * in place of 429. The manual's page `simulator.md` has the table.
 */

export function webPushMagicEndpoint(endpoint: string): MagicToken<WebPushRefusal> | null {
  return WORDS.find(lastOf(endpoint))
}

export function maxBytesAt(endpoint: string): number {
  return SMALLER.get(wordIn(lastOf(endpoint)).word) ?? MAX_MESSAGE_BYTES
}

/** The word for a push service that speaks HTTP/1.1 only. */
export const OLDER = 'older'

export function isOlder(endpoint: string): boolean {
  return wordIn(lastOf(endpoint)).word === OLDER
}

export const SMALLER: ReadonlyMap<string, number> = new Map([
  ['small', 3015],
  ['tiny', 2048],
])

function lastOf(endpoint: string): string {
  return new URL(endpoint).pathname.split('/').at(-1) ?? ''
}

const WORDS = new MagicWords(WEBPUSH_REFUSALS)
