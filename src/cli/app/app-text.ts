import type { Application, Limits } from '../../application/application.ts'
import type { CredentialSummary } from '../../application/credential-store.ts'
import type { RegistrySize } from '../../device/registry-size-store.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import type { Webhook } from '../../webhook/webhook-store.ts'
import { COMMANDS } from '../commands.ts'
import { LIMIT_FLAGS } from './app-arguments.ts'

/** An application as the commands show it. */
export interface ApplicationView {
  readonly application: Application
  readonly credentials: readonly CredentialSummary[]
  readonly webhook: Webhook | null
  readonly size: RegistrySize
}

interface Created {
  readonly id: string
  readonly name: string
  readonly secret: string
}

export function createdText({ id, name, secret }: Created, data: string | null): string {
  const where = dataFlagOf(data)
  return [
    `Created the application "${escapeControls(name)}".`,
    '',
    ...columns([
      ['id', id],
      ['secret', secret],
    ]),
    '',
    'The secret is shown this once: keep it in your backend. The id goes into the app.',
    'Next, say where its pushes go:',
    `  bellhop app apns ${id} --key FILE.p8 --key-id K --team-id T --topic BUNDLE${where}`,
    `  bellhop app fcm ${id} --service-account FILE.json${where}`,
    'or try it without Apple and Google:',
    `  bellhop app simulate ${id}${where}`,
    '',
  ].join('\n')
}

export function rotatedText({ name, secret }: Created): string {
  return [
    `"${escapeControls(name)}" has a new secret; the old one is worth nothing from now on.`,
    '',
    `  ${secret}`,
    '',
    'It is shown this once: keep it in your backend.',
    '',
  ].join('\n')
}

/** One line, its members in this order. */
export function secretJson({ id, secret, name }: Created): string {
  return jsonLine({ id, secret, name })
}

export function listText(views: readonly ApplicationView[]): string {
  if (views.length === 0) return 'There are no applications yet: bellhop app create NAME adds one.\n'
  const rows = views.map((view) => [view.application.id, destination(view), escapeControls(view.application.name)])
  return `${columns([['ID', 'SENDS TO', 'NAME'], ...rows], '').join('\n')}\n`
}

export function showText(view: ApplicationView): string {
  const { application, credentials, webhook, size } = view
  return [
    escapeControls(application.name),
    '',
    ...columns([
      ['id', application.id],
      ['sends to', destination(view)],
      ...credentials.map((credential) => [NAMES[credential.provider], credentialText(credential)]),
      ...(webhook === null ? [] : [['webhook', webhookText(webhook)]]),
      ['holds', `${size.devices} devices, also those that are gone; ${size.labels} tags and types`],
    ]),
    '',
    limitsText(application.limits),
  ].join('\n')
}

/** What 0 says of a limit, where it is not that there is none. */
const WHEN_ZERO: Partial<Record<keyof Limits, string>> = { confirmAbove: 'off', holdSeconds: 'off' }

export function limitsText(limits: Limits): string {
  const docs = COMMANDS.find((command) => command.name === 'app limits')?.flags ?? []
  return `${columns(
    LIMIT_FLAGS.map(({ name, flag }) => [
      flag,
      limitText(name, limits[name]),
      docs.find((each) => each.name === flag)?.doc ?? '',
    ]),
  ).join('\n')}\n`
}

function limitText(name: keyof Limits, value: Limits[keyof Limits]): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return value === 0 ? (WHEN_ZERO[name] ?? 'unlimited') : String(value)
}

/** What `--json` prints of an application: no secret, no hash; times in ISO 8601 UTC. */
export function applicationJson({ application, credentials, webhook, size }: ApplicationView): object {
  const { id, name, simulated, limits } = application
  return {
    id,
    name,
    simulated,
    limits,
    devices: size.devices,
    labels: size.labels,
    credentials: credentials.map((credential) => ({
      ...credential,
      createdAt: iso(credential.createdAt),
      ...('expiresAt' in credential ? { expiresAt: iso(credential.expiresAt) } : {}),
    })),
    webhook: webhook && webhookJson(webhook),
  }
}

/** The same of a webhook. */
export function webhookJson({ url, events, disabledAt }: Webhook): object {
  return { url, events, disabledAt: disabledAt && iso(disabledAt) }
}

/** `key ABC123DEFG of team DEF123GHIJ, topic com.example.shop, environment auto`. */
export function credentialText(credential: CredentialSummary): string {
  if (credential.kind === 'service-account') {
    return escapeControls(`project ${credential.projectId}, service account ${credential.clientEmail}`)
  }
  const where = `topic ${credential.topic}, environment ${credential.environment}`
  if (credential.kind === 'key') return `key ${credential.keyId} of team ${credential.teamId}, ${where}`
  return `certificate until ${new Date(credential.expiresAt).toISOString().slice(0, 10)}, ${where}`
}

/** `push.finished, device.gone to https://example.com/hooks`. */
export function webhookText({ url, events, disabledAt }: Webhook): string {
  const end = disabledAt === null ? '' : `; disabled since ${iso(disabledAt)}, when it answered 410 Gone`
  return escapeControls(`${events.join(', ')} to ${url}${end}`)
}

export const NAMES = { apns: 'APNs', fcm: 'FCM' } as const

function destination({ application, credentials }: ApplicationView): string {
  if (application.simulated) return 'simulator'
  return credentials.length === 0 ? 'nothing yet' : credentials.map(({ provider }) => NAMES[provider]).join(', ')
}

function iso(at: number): string {
  return new Date(at).toISOString()
}

/** Every column but the last is as wide as its widest cell. */
function columns(rows: readonly (readonly string[])[], indent = '  '): readonly string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows.map((row) => {
    const cells = row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
    return `${indent}${cells.join('  ')}`
  })
}

/** What a command line needs besides, so that it works on the same data; `null`: nothing. */
export function dataFlagOf(data: string | null): string {
  return data === null ? '' : ` --data ${quoted(data)}`
}

/** For a shell. */
function quoted(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
