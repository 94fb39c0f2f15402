import { retryAfterMs } from '../network/retry-after.ts'
import type { Post } from '../webhook/post.ts'
import { secretBytes, signedHeaders } from '../webhook/signature.ts'
import { readMailUrl } from './alert.ts'
import type { AlertTarget, Channel } from './alert.ts'
import type { AlertMessage } from './alert-message.ts'
import type { SendMail } from './mail-client.ts'

/** `problem`: why it was refused, without URL and secret; `null`: accepted. */
export interface Told {
  readonly problem: string | null
  /** As the receiver asked for. */
  readonly retryAfterMs: number | null
}

export type SendAlert = (
  channel: Channel,
  target: AlertTarget,
  message: AlertMessage,
  now: number,
  signal: AbortSignal,
) => Promise<Told>

export function createSendAlert(post: Post, sendMail: SendMail): SendAlert {
  return async (channel, { url, secret }, message, now, signal) => {
    if (channel === 'email') {
      const route = readMailUrl(url)
      if (route === null) throw new Error('the stored URL of mails is none')
      return { problem: await sendMail(route, secret, message), retryAfterMs: null }
    }
    const outcome =
      channel === 'ntfy'
        ? await post(url, ntfyHeaders(message, secret), message.text, signal)
        : await post(url, webhookHeaders(message, secret, now), message.body, signal)
    if (outcome.kind === 'failed') return { problem: outcome.reason, retryAfterMs: null }
    const { status, retryAfter } = outcome
    const isTaken = status >= 200 && status < 300
    return { problem: isTaken ? null : `HTTP ${status}`, retryAfterMs: retryAfterMs(retryAfter, now) }
  }
}

/** Title, priority, and tags that ntfy shows as emojis (ntfy's documentation, "Publishing"). */
function ntfyHeaders({ title, isGood }: AlertMessage, token: string | null): Record<string, string> {
  return {
    'user-agent': 'Bellhop',
    title,
    priority: isGood ? 'default' : 'high',
    tags: isGood ? 'white_check_mark' : 'warning',
    ...(token !== null && { authorization: `Bearer ${token}` }),
  }
}

function webhookHeaders({ id, body }: AlertMessage, secret: string | null, now: number): Record<string, string> {
  return signedHeaders(id, body, secretBytes(secret ?? '') ?? new Uint8Array(), now)
}
