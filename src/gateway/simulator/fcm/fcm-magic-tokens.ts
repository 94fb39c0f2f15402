import { isInstallationId } from '../../../device/push-token.ts'
import { MagicWords } from '../magic-tokens.ts'
import type { MagicToken } from '../magic-tokens.ts'
import { FCM_REFUSALS } from './fcm-answer.ts'
import type { FcmRefusal } from './fcm-answer.ts'

/*
 * A magic FCM token is a word of `FCM_MAGIC_TOKENS`, optionally `-` and a count, then no letter or digit, then
 * anything. Without a count it always works; with one, that many times, then the token is accepted: `throttled-1:abc`
 * is throttled once. An installation ID has `f_` before the word, and 22 characters: `f_unregistered_0000001`. The
 * manual's `simulator.md` has the table.
 */

export function fcmMagicToken(token: string): MagicToken<FcmRefusal> | null {
  return WORDS.find(isInstallationId(token) ? token.replace(/^f_/, '') : token)
}

const WORDS = new MagicWords(FCM_REFUSALS)

export const FCM_MAGIC_TOKENS = WORDS.all
