import { MAX_MESSAGE_BYTES } from '../../webpush/encryption.ts'
import { MagicWords, wordIn } from '../magic-tokens.ts'
import type { MagicToken } from '../magic-tokens.ts'
import { WEBPUSH_REFUSALS } from './webpush-answer.ts'
import type { WebPushRefusal } from './webpush-answer.ts'

/*
 * The magic word starts the last segment of an endpoint's path, spelled as in `fcm-magic-tokens.ts`. Statuses and
 * bodies are those of the played push service: Mozilla's 401 with an errno for 403, Microsoft's 406 for 429. The
 * manual's `simulator.md` has the table.
 */

export function webPushMagicEndpoint(endpoint: string): MagicToken<WebPushRefusal> | null {
  return WORDS.find(lastOf(endpoint))
}

export function maxBytesAt(endpoint: string): number {
  return SMALLER.get(wordIn(lastOf(endpoint)).word) ?? MAX_MESSAGE_BYTES
}

/** Speaks HTTP/1.1 only. */
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
