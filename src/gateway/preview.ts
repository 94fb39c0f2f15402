import type { CredentialSummary } from '../application/credential-store.ts'
import { apnsHeaders, renderApns } from '../notification/apns-render.ts'
import { renderFcm } from '../notification/fcm-render.ts'
import type { Message } from '../notification/notification.ts'
import { renderWebPush, webPushHeaders } from '../notification/webpush-render.ts'
import { apnsIdOf } from './apns/protocol.ts'
import type { Recipient } from './gateway.ts'

export interface PreviewedRequest {
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string
}

export interface ApnsIdentity {
  readonly topic: string
  /** `false`: by a certificate. */
  readonly signed: boolean
}

export function apnsIdentityOf(credentials: readonly CredentialSummary[]): ApnsIdentity | null {
  const known = credentials.find((one) => one.provider === 'apns')
  return known?.provider === 'apns' ? { topic: known.topic, signed: known.kind === 'key' } : null
}

const AUTHORIZATION = 'bearer …'

export function previewApns(message: Message, recipient: Recipient, identity: ApnsIdentity | null): PreviewedRequest {
  const rendered = renderApns(message)
  const id = apnsIdOf(message.push, recipient.device)
  const authorization = identity?.signed === false ? undefined : AUTHORIZATION
  const { 'apns-topic': topic = '', ...others } = apnsHeaders(rendered, identity?.topic ?? '', authorization)
  return {
    headers: { ...(identity !== null && { 'apns-topic': topic }), ...others, 'apns-id': id },
    body: rendered.body(recipient.badge),
  }
}

/** Before encryption. */
export function previewWebPush(message: Message, { badge }: Recipient, now: number): PreviewedRequest {
  const rendered = renderWebPush(message)
  return { headers: webPushHeaders(rendered, 'vapid …', rendered.ttlSeconds(now)), body: rendered.body(badge) }
}

export function previewFcm(message: Message, { token, badge, fcmPlatform }: Recipient, now: number): string {
  return renderFcm(message).body(token, badge, now, fcmPlatform)
}
