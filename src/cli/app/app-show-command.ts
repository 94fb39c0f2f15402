import { shownWebhook } from '../../admin/view/webhook-address.ts'
import { createApplicationStore } from '../../application/application-store.ts'
import type { Application } from '../../application/application.ts'
import { createUserKeyStore } from '../../application/user-key-store.ts'
import type { UserKeySummary } from '../../application/user-key-store.ts'
import { createCredentialStore } from '../../application/credential-store.ts'
import type { CredentialSummary } from '../../application/credential-store.ts'
import { createAdoptionStore } from '../../device/registration/adoption-store.ts'
import { createRegistrySizeStore } from '../../device/registry-size-store.ts'
import type { RegistrySize } from '../../device/registry-size-store.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { counted, isoTime } from '../../text/format.ts'
import { createWebhookStore } from '../../webhook/webhook-store.ts'
import type { Webhook } from '../../webhook/webhook-store.ts'
import { done } from '../command.ts'
import type { ParsedArguments, World } from '../command.ts'
import { listing } from '../terminal/table-text.ts'
import { NO_KEY, credentialText, indented, userKeyJson, userKeyText, webhookJson, webhookText } from './app-text.ts'
import { limitsText } from './limit-flags.ts'
import { factsOf } from '../../platform.ts'

export async function run({ flags }: ParsedArguments, world: World & { readonly application?: Application }) {
  const view = createView(world)
  if (world.application === undefined) {
    const views = createApplicationStore(world).list().map(view)
    return done(flags.has('json') ? jsonLine(views.map(viewJson)) : listText(views))
  }
  const shown = view(world.application)
  return done(flags.has('json') ? jsonLine(viewJson(shown)) : showText(shown))
}

interface View {
  readonly application: Application
  readonly credentials: readonly CredentialSummary[]
  readonly webhook: Webhook | null
  readonly userKey: UserKeySummary | null
  readonly size: RegistrySize
  /** Imported for users who have not registered themselves. */
  readonly adoptable: number
}

function createView({ database, clock, by }: World): (application: Application) => View {
  const credentials = createCredentialStore({ database, clock, key: NO_KEY })
  const webhooks = createWebhookStore({ database, clock, key: NO_KEY })
  const userKeys = createUserKeyStore({ database, clock, key: NO_KEY })
  const sizes = createRegistrySizeStore({ database })
  const adoptions = createAdoptionStore({ database })
  const webhookOf = (application: Application) => {
    const webhook = webhooks.find(application)
    return webhook && shownWebhook(webhook, by)
  }
  return (application) => ({
    application,
    credentials: credentials.summaries(application),
    webhook: webhookOf(application),
    userKey: userKeys.summary(application),
    size: sizes.sizeOf(application.number),
    adoptable: adoptions.count(application.number),
  })
}

function listText(views: readonly View[]): string {
  if (views.length === 0) return 'There are no applications yet: bellhop app create NAME adds one.\n'
  const lines = listing(views, [
    ['ID', ({ application }) => application.id],
    ['SENDS TO', destination],
    ['NAME', ({ application }) => escapeControls(application.name)],
  ])
  return `${lines.join('\n')}\n`
}

function showText(view: View): string {
  const { application, credentials, webhook, userKey, size, adoptable } = view
  return [
    escapeControls(application.name),
    '',
    ...indented([
      ['id', application.id],
      ['sends to', destination(view)],
      ...credentials.map((credential) => [factsOf(credential.provider).gateway, credentialText(credential)]),
      ...(webhook === null ? [] : [['webhook', webhookText(webhook)]]),
      ...(userKey === null ? [] : [['user key', userKeyText(userKey)]]),
      ['holds', `${size.devices} devices, also those that are gone; ${size.labels} tags and types`],
      ...(adoptable === 0 ? [] : [['imported', `${counted(adoptable, 'device')} of a user, not registered since`]]),
    ]),
    '',
    limitsText(application.limits),
  ].join('\n')
}

/** Times in ISO 8601 UTC. */
function viewJson({ application, credentials, webhook, userKey, size, adoptable }: View): object {
  const { id, name, simulated, limits } = application
  return {
    id,
    name,
    simulated,
    limits,
    devices: size.devices,
    labels: size.labels,
    adoptable,
    credentials: credentials.map((credential) => ({
      ...credential,
      createdAt: isoTime(credential.createdAt),
      ...('expiresAt' in credential && { expiresAt: isoTime(credential.expiresAt) }),
    })),
    webhook: webhook && webhookJson(webhook),
    userKey: userKey && userKeyJson(userKey),
  }
}

function destination({ application, credentials }: View): string {
  const facts = credentials.map(({ provider }) => factsOf(provider))
  const used = application.simulated ? facts.filter(({ isRealWhenSimulated }) => isRealWhenSimulated) : facts
  const names = [...(application.simulated ? ['simulator'] : []), ...used.map(({ gateway }) => gateway)]
  return names.length === 0 ? 'nothing yet' : names.join(', ')
}
