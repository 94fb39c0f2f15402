import { randomBytes } from 'node:crypto'
import type { Application } from '../../application/application.ts'
import type { Database } from '../../database/database.ts'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import { addressIn, isPublic } from '../../network/special-networks.ts'
import type { Problems } from '../../settings/parse.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { EVENT_TYPES } from '../../webhook/event.ts'
import { newWebhookSecret } from '../../webhook/signature.ts'
import { createWebhookStore } from '../../webhook/webhook-store.ts'
import type { Webhook } from '../../webhook/webhook-store.ts'
import { openSealingKey } from '../backup/open-sealing-key.ts'
import type { SealingContext } from '../backup/open-sealing-key.ts'
import type { AppCommand } from './app-arguments.ts'
import { webhookJson, webhookText } from './app-text.ts'

type WebhookCommand = Extract<AppCommand, { kind: 'app webhook' }>

interface Options extends SealingContext {
  readonly random?: (length: number) => Uint8Array
}

type WebhookOutcome = { readonly kind: 'done'; readonly text: string } | Problem | Problems

/** Shows, sets or removes the webhook of an application. A secret that is new is in the answer and nowhere else. */
export function runWebhookCommand(
  { change, json }: WebhookCommand,
  application: Application,
  options: Options,
): WebhookOutcome {
  const before = webhookOf(options.database, application)
  if (change.kind === 'show') {
    return done(json ? printed(before) : `${before === null ? none(application) : webhookText(before)}\n`)
  }
  if (change.kind === 'remove') {
    createWebhookStore({ ...options, key: NO_KEY }).remove(application)
    return done(json ? printed(null) : `${none(application)}\n`)
  }

  const url = change.url ?? before?.url
  if (url === undefined) {
    return problem(`"${application.name}" has no webhook yet: app webhook needs --url.`)
  }
  const { random = randomBytes } = options
  const isNew = change.secret === 'new' || (change.secret === null && before === null)
  const secret = isNew ? newWebhookSecret(random) : change.secret
  const sealing = options.database.transact(() => {
    const opened = openSealingKey(options)
    if (opened.kind !== 'loaded') return opened
    const webhooks = createWebhookStore({ ...options, key: opened.key })
    webhooks.put(application, { url, events: change.events ?? before?.events ?? EVENT_TYPES, secret })
    return { ...opened, stored: webhooks.find(application) }
  })
  if (sealing.kind !== 'loaded') return sealing
  const { stored } = sealing

  if (json) return done(printed(stored, isNew ? secret : null))
  const address = addressIn(new URL(url))
  const isPrivate = url.startsWith('http:') || (address !== null && !isPublic(address))
  const lines = [
    ...(stored === null ? [] : [`"${escapeControls(application.name)}" has a webhook: ${webhookText(stored)}`]),
    ...(isNew && secret !== null
      ? ['', `  ${secret}`, '', 'The secret is shown this once: keep it where the events arrive.']
      : []),
    ...(isPrivate ? ['The server sends to a private address only with --webhook-private.'] : []),
    ...sealing.notes,
  ]
  return done(`${lines.join('\n')}\n`)
}

/** What may be shown of it; needs no key. */
export function webhookOf(database: Database, application: Pick<Application, 'number'>): Webhook | null {
  return createWebhookStore({ database, clock: { now: () => 0 }, key: NO_KEY }).find(application)
}

/** Where nothing is sealed or opened. */
const NO_KEY = new Uint8Array(32)

function none({ name }: Application): string {
  return `"${escapeControls(name)}" has no webhook.`
}

function printed(webhook: Webhook | null, secret: string | null = null): string {
  return jsonLine(webhook && { ...webhookJson(webhook), ...(secret !== null && { secret }) })
}

function done(text: string): WebhookOutcome {
  return { kind: 'done', text }
}
