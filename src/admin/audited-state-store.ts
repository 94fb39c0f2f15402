import { createApplicationStore } from '../application/application-store.ts'
import { createCredentialStore } from '../application/credential-store.ts'
import { createUserKeyStore } from '../application/user-key-store.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { isoTime } from '../text/format.ts'
import { createWebhookStore } from '../webhook/webhook-store.ts'
import type { AdminLogAnswer } from './api-types/administrator-types.ts'
import { webhookOrigin } from './view/webhook-address.ts'

export type Changes = AdminLogAnswer['entries'][number]['changes']

type State = Readonly<Record<string, unknown>>

interface Options {
  readonly database: Pick<Database, 'orm' | 'statement' | 'transact'>
  readonly clock: Pick<Clock, 'now'>
}

/** Reads nothing sealed. */
const NO_KEY = new Uint8Array(32)

/** Without secrets. */
export function createAuditedState({ database, clock }: Options) {
  const sealed = { database, clock, key: NO_KEY }
  const applications = createApplicationStore(sealed)
  const credentials = createCredentialStore(sealed)
  const userKeys = createUserKeyStore(sealed)
  const webhooks = createWebhookStore(sealed)

  function stateOf(id: string): State | null {
    const application = applications.find(id)
    if (application === null) return null
    const webhook = webhooks.find(application)
    const userKey = userKeys.summary(application)
    return {
      name: application.name,
      simulated: application.simulated,
      ...application.limits,
      ...Object.fromEntries(
        credentials.summaries(application).map((summary) => [summary.provider, { ...summary, createdAt: undefined }]),
      ),
      ...(webhook && { webhook: webhookOrigin(webhook.url), events: webhook.events }),
      ...(userKey && { userKey: isoTime(userKey.createdAt) }),
    }
  }

  /** The returned function tells what has changed since. */
  return (id: string): (() => Changes) => {
    const before = stateOf(id)
    return () => changesOf(before, stateOf(id))
  }
}

/** Of an application that was created or deleted only the name. */
function changesOf(before: State | null, after: State | null): Changes {
  const isOne = before === null || after === null
  const names = isOne ? ['name'] : [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return Object.fromEntries(
    names
      .map((name) => [name, { before: before?.[name] ?? null, after: after?.[name] ?? null }] as const)
      .filter(([, one]) => JSON.stringify(one.before) !== JSON.stringify(one.after)),
  )
}
