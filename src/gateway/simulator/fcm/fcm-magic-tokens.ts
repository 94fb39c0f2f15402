import { isInstallationId } from '../../../device/push-token.ts'
import { MagicWords } from '../magic-tokens.ts'
import type { MagicToken } from '../magic-tokens.ts'
import { FCM_REFUSALS } from './fcm-answer.ts'
import type { FcmRefusal } from './fcm-answer.ts'

/*
 * An FCM token is text, so what is asked for is a word of `FCM_MAGIC_TOKENS`, then perhaps `-` and how often, then anything
 * that is neither letter nor digit, then the rest. Without a number: every time; with one, the first so many times, after
 * which the token is accepted. So `throttled-1:abc` is throttled once. An installation ID must look like one: it has `f_`
 * before the word, and something behind it up to 22 characters, such as `f_unregistered_0000001`. The manual's page
 * `simulator.md` has the table.
 */

export function fcmMagicToken(token: string): MagicToken<FcmRefusal> | null {
  return WORDS.find(isInstallationId(token) ? token.replace(/^f_/, '') : token)
}

const WORDS = new MagicWords(FCM_REFUSALS)

export const FCM_MAGIC_TOKENS = WORDS.all
