import { randomBytes } from 'node:crypto'
import { shownWebhook } from '../../admin/view/webhook-address.ts'
import type { Application } from '../../application/application.ts'
import { problem } from '../../failure.ts'
import type { Problems } from '../../settings/parse.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { readWebhookUrl, sendingNote } from '../../webhook/address-guard.ts'
import { EVENT_TYPES } from '../../webhook/event.ts'
import { setWebhook } from '../../webhook/set-webhook.ts'
import type { WebhookChange } from '../../webhook/set-webhook.ts'
import { newWebhookSecret, secretBytes } from '../../webhook/signature.ts'
import { createWebhookStore } from '../../webhook/webhook-store.ts'
import type { Webhook } from '../../webhook/webhook-store.ts'
import { done, problems } from '../command.ts'
import type { CheckArguments, ParsedArguments, RunOnApplication } from '../command.ts'
import { NO_KEY, webhookJson, webhookText } from './app-text.ts'

export const check: CheckArguments = ({ flags }) => readChange(flags)

export const run: RunOnApplication = async ({ flags }, { database, clock, application, sealingKey, served, by }) => {
  const change = readChange(flags)
  if (change.kind === 'problems') return change
  const json = flags.has('json')
  const shown = createWebhookStore({ database, clock, key: NO_KEY })
  if (change.kind === 'show') {
    const found = shown.find(application)
    const webhook = found && shownWebhook(found, by)
    return done(json ? printed(webhook) : `${webhook === null ? none(application) : webhookText(webhook)}\n`)
  }
  if (change.kind === 'remove') {
    shown.remove(application)
    return done(json ? printed(null) : `${none(application)}\n`)
  }

  const stored = database.transact(() => {
    const loaded = sealingKey()
    if (loaded.kind !== 'loaded') return loaded
    const webhooks = createWebhookStore({ database, clock, key: loaded.key })
    const set = setWebhook(webhooks, application, change, newWebhookSecret(randomBytes))
    return set === null
      ? problem(`"${application.name}" has no webhook yet: app webhook needs --url.`)
      : { ...loaded, ...set }
  })
  if (stored.kind !== 'loaded') return stored
  const { webhook, secret } = stored
  if (json) return done(printed(webhook, secret))
  const note = sendingNote(stored.url, served?.webhookPrivate ?? null)
  const lines = [
    ...(webhook === null ? [] : [`"${escapeControls(application.name)}" has a webhook: ${webhookText(webhook)}`]),
    ...(secret === null ? [] : ['', `  ${secret}`, '', "Copy the secret to the receiver now; you won't see it again."]),
    ...(note === null ? [] : [note]),
    ...stored.notes,
  ]
  return done(`${lines.join('\n')}\n`)
}

type Change = { readonly kind: 'show' } | { readonly kind: 'remove' } | ({ readonly kind: 'set' } & WebhookChange)

function readChange(flags: ParsedArguments['flags']): Change | Problems {
  const [url, list, secret] = ['url', 'events', 'secret'].map((name) => flags.get(name))
  const isSet = [url, list, secret].some((value) => value !== undefined)
  if (flags.has('remove')) {
    return isSet ? problems("--remove can't be combined with --url, --events or --secret.") : { kind: 'remove' }
  }
  if (!isSet) return { kind: 'show' }
  const wrong: string[] = []
  const read = url === undefined ? undefined : readWebhookUrl(url)
  if (read !== undefined && 'expected' in read) wrong.push(`--url: "${url}" is not ${read.expected}`)
  const names = list?.split(',').map((name) => name.trim())
  const unknown = names?.find((name) => !EVENT_TYPES.some((type) => type === name))
  if (unknown !== undefined) wrong.push(`--events: "${unknown}" is not one of ${EVENT_TYPES.join(', ')}`)
  if (secret !== undefined && secret !== 'new' && secretBytes(secret) === null) {
    wrong.push('--secret: the value is not new, or whsec_ and the base64 of 24 to 64 bytes')
  }
  if (wrong.length > 0) return problems(...wrong)
  return {
    kind: 'set',
    url: read instanceof URL ? read.href : undefined,
    events: names && EVENT_TYPES.filter((type) => names.includes(type)),
    secret,
  }
}

function none({ name }: Application): string {
  return `"${escapeControls(name)}" has no webhook.`
}

function printed(webhook: Webhook | null, secret: string | null = null): string {
  return jsonLine(webhook && { ...webhookJson(webhook), ...(secret !== null && { secret }) })
}
