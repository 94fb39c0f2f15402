import { randomBytes } from 'node:crypto'
import type { Application } from '../../application/application.ts'
import { problem } from '../../failure.ts'
import type { Problems } from '../../settings/parse.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { isForPrivate, readWebhookUrl } from '../../webhook/address-guard.ts'
import { DEFAULT_EVENTS, EVENT_TYPES } from '../../webhook/event.ts'
import type { EventType } from '../../webhook/event.ts'
import { newWebhookSecret, secretBytes } from '../../webhook/signature.ts'
import { createWebhookStore } from '../../webhook/webhook-store.ts'
import type { Webhook } from '../../webhook/webhook-store.ts'
import { openSealingKey } from '../backup/open-sealing-key.ts'
import { done, problems } from '../command.ts'
import type { CheckArguments, ParsedArguments, RunCommand } from '../command.ts'
import { openApplication } from '../open-application.ts'
import { NO_KEY, webhookJson, webhookText } from './app-text.ts'

export const check: CheckArguments = ({ flags }) => readChange(flags)

/** Shows, sets or removes the webhook of an application. A secret that is new is in the answer and nowhere else. */
export const run: RunCommand = async ({ words: [app = ''], flags }, context) => {
  const change = readChange(flags)
  if (change.kind === 'problems') return change
  const opened = openApplication(app, flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const { application, data } = opened
  const { clock } = context
  const json = flags.has('json')
  // What is shown of a webhook is not sealed.
  const shown = createWebhookStore({ database, clock, key: NO_KEY })
  const before = shown.find(application)
  if (change.kind === 'show') {
    return done(json ? printed(before) : `${before === null ? none(application) : webhookText(before)}\n`)
  }
  if (change.kind === 'remove') {
    shown.remove(application)
    return done(json ? printed(null) : `${none(application)}\n`)
  }

  const url = change.url ?? before?.url
  if (url === undefined) return problem(`"${application.name}" has no webhook yet: app webhook needs --url.`)
  const isNew = change.secret === 'new' || (change.secret === null && before === null)
  const secret = isNew ? newWebhookSecret(randomBytes) : change.secret
  const sealing = database.transact(() => {
    const loaded = openSealingKey({ ...context, database, dataDirectory: data })
    if (loaded.kind !== 'loaded') return loaded
    const webhooks = createWebhookStore({ database, clock, key: loaded.key })
    webhooks.put(application, { url, events: change.events ?? before?.events ?? DEFAULT_EVENTS, secret })
    return { ...loaded, stored: webhooks.find(application) }
  })
  if (sealing.kind !== 'loaded') return sealing
  const { stored } = sealing

  if (json) return done(printed(stored, isNew ? secret : null))
  const lines = [
    ...(stored === null ? [] : [`"${escapeControls(application.name)}" has a webhook: ${webhookText(stored)}`]),
    ...(isNew && secret !== null
      ? ['', `  ${secret}`, '', 'The secret is shown this once: keep it where the events arrive.']
      : []),
    ...(isForPrivate(url) ? ['The server sends to a private address only with --webhook-private.'] : []),
    ...sealing.notes,
  ]
  return done(`${lines.join('\n')}\n`)
}

type Change =
  | { readonly kind: 'show' }
  | { readonly kind: 'remove' }
  /** `null` leaves it as it is, or as it is by default: all events, a new secret. */
  | {
      readonly kind: 'set'
      readonly url: string | null
      readonly events: readonly EventType[] | null
      /** `'new'`: one is made. */
      readonly secret: string | null
    }

function readChange(flags: ParsedArguments['flags']): Change | Problems {
  const [url = null, list = null, secret = null] = ['url', 'events', 'secret'].map((name) => flags.get(name))
  const asked = [url, list, secret].some((value) => value !== null)
  if (flags.has('remove')) {
    return asked ? problems('--remove excludes --url, --events and --secret.') : { kind: 'remove' }
  }
  if (!asked) return { kind: 'show' }
  const wrong: string[] = []
  const read = url === null ? null : readWebhookUrl(url)
  if (read !== null && 'expected' in read) wrong.push(`--url: "${url}" is not ${read.expected}`)
  const names = list?.split(',').map((name) => name.trim()) ?? []
  const unknown = names.find((name) => !EVENT_TYPES.some((type) => type === name))
  if (unknown !== undefined) wrong.push(`--events: "${unknown}" is not one of ${EVENT_TYPES.join(', ')}`)
  if (secret !== null && secret !== 'new' && secretBytes(secret) === null) {
    wrong.push('--secret: the value is not new, or whsec_ and the base64 of 24 to 64 bytes')
  }
  if (wrong.length > 0) return problems(...wrong)
  return {
    kind: 'set',
    url: read instanceof URL ? read.href : null,
    events: list === null ? null : EVENT_TYPES.filter((type) => names.includes(type)),
    secret,
  }
}

function none({ name }: Application): string {
  return `"${escapeControls(name)}" has no webhook.`
}

function printed(webhook: Webhook | null, secret: string | null = null): string {
  return jsonLine(webhook && { ...webhookJson(webhook), ...(secret !== null && { secret }) })
}
