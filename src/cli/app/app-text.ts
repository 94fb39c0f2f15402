import type { Application } from '../../application/application.ts'
import type { CredentialSummary } from '../../application/credential-store.ts'
import type { UserKeySummary } from '../../application/user-key-store.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { dayOf, isoTime } from '../../text/format.ts'
import type { Webhook } from '../../webhook/webhook-store.ts'
import { tableText } from '../terminal/table-text.ts'

/** For stores that are only asked for what is not sealed. */
export const NO_KEY = new Uint8Array(32)

export function secretJson({ id, name }: Application, secret: string, more: object = {}): string {
  return jsonLine({ id, secret, name, ...more })
}

export function credentialText(credential: CredentialSummary): string {
  if (credential.kind === 'service-account') {
    return escapeControls(`project ${credential.projectId}, service account ${credential.clientEmail}`)
  }
  if (credential.kind === 'vapid') return escapeControls(`public key ${credential.publicKey}, ${credential.subject}`)
  const what =
    credential.kind === 'key'
      ? `key ${credential.keyId} of team ${credential.teamId}`
      : `certificate until ${dayOf(credential.expiresAt)}`
  return escapeControls(`${what}, topic ${credential.topic}, environment ${credential.environment}`)
}

export function webhookText({ url, events, disabledAt }: Webhook): string {
  const end = disabledAt === null ? '' : `; disabled since ${isoTime(disabledAt)}, when it answered 410 Gone`
  return escapeControls(`${events.join(', ')} to ${url}${end}`)
}

export function webhookJson({ url, events, disabledAt }: Webhook): object {
  return { url, events, disabledAt: disabledAt && isoTime(disabledAt) }
}

export function userKeyText({ createdAt, previousUntil }: UserKeySummary): string {
  const before = previousUntil === null ? '' : `; the previous one is valid until ${isoTime(previousUntil)}`
  return `made ${dayOf(createdAt)}${before}`
}

export function userKeyJson({ createdAt, previousUntil }: UserKeySummary): object {
  return { createdAt: isoTime(createdAt), previousUntil: previousUntil && isoTime(previousUntil) }
}

export function indented(rows: readonly (readonly string[])[]): readonly string[] {
  return tableText(rows).map((line) => `  ${line}`)
}
