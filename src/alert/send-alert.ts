import { retryAfterMs } from '../network/retry-after.ts'
import type { Post } from '../webhook/post.ts'
import { secretBytes, signatureOf } from '../webhook/signature.ts'
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

interface Dependencies {
  readonly post: Post
  readonly sendMail: SendMail
}

/** One try. `now`: ms since the Unix epoch. */
export type SendAlert = (
  channel: Channel,
  target: AlertTarget,
  message: AlertMessage,
  now: number,
  signal: AbortSignal,
) => Promise<Told>

export function createSendAlert({ post, sendMail }: Dependencies): SendAlert {
  return async (channel, { url, secret }, message, now, signal) => {
    if (channel === 'email') {
      const route = readMailUrl(url)
      if (route === null) throw new Error('the stored URL of mails is none')
      return { problem: await sendMail(route, secret, message), retryAfterMs: null }
    }
    const outcome =
      channel === 'ntfy'
        ? await post(url, ntfyHeaders(message, secret), message.text, signal)
        : await post(url, webhookHeaders(message, secret ?? '', now), message.body, signal)
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

/** Signed like applications' events. */
function webhookHeaders({ id, body }: AlertMessage, secret: string, now: number): Record<string, string> {
  const timestamp = Math.floor(now / 1000)
  return {
    'content-type': 'application/json',
    'user-agent': 'Bellhop',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatureOf({ id, timestamp, body }, secretBytes(secret) ?? new Uint8Array()),
  }
}
