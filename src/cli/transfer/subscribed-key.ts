import { createCredentialStore } from '../../application/credential-store.ts'
import type { Application } from '../../application/application.ts'
import { readVapid } from '../../application/vapid.ts'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import { isJsonObject, parseJsonObject } from '../../text/json-object.ts'
import type { FormatName } from '../../transfer/record.ts'
import { NO_KEY } from '../app/app-text.ts'
import { readGivenFile } from '../read-given-file.ts'
import type { CommandContext, World } from '../command.ts'

/*
 * A subscription takes pushes only of the VAPID key that it was made with (RFC 8292, 4), and no row of a file names it.
 */

export function webPushKeyOf(
  application: Pick<Application, 'number'>,
  { database, clock }: Pick<World, 'database' | 'clock'>,
): string | null {
  const summaries = createCredentialStore({ database, clock, key: NO_KEY }).summaries(application)
  const summary = summaries.find(({ provider }) => provider === 'webpush')
  return summary?.provider === 'webpush' ? summary.publicKey : null
}

interface Subscribed {
  readonly format: FormatName
  readonly head: Uint8Array
  readonly keyFile: string | null
  readonly own: string | null
}

/** Follows "platform"; `null`: browsers can be reached with the application's key. */
export function browserHindrance(
  { format, head, keyFile, own }: Subscribed,
  context: Pick<CommandContext, 'readFile'>,
): { readonly kind: 'known'; readonly noBrowsers: string | null } | Problem {
  if (format === 'bellhop') return { kind: 'known', noBrowsers: hindranceOfExport(exportedKey(head), own) }
  if (keyFile === null) return { kind: 'known', noBrowsers: NOT_SAID }
  const file = readGivenFile(keyFile, context)
  if (file.kind !== 'read') return file
  const key = readVapid(file.text, '')
  if (key.kind !== 'vapid') return problem(`--vapid-key: ${key.problem}`)
  if (own === null)
    return problem('The application has no VAPID key: bellhop app webpush --key FILE gives it that one.')
  if (own === key.publicKey) return { kind: 'known', noBrowsers: null }
  return problem(
    `--vapid-key is ${key.publicKey}, and that of the application ${own}: browsers take pushes of one only.`,
  )
}

const NOT_SAID =
  'is that of a browser, which accepts pushes of only the VAPID key it subscribed with: store that key with app webpush --key FILE, and pass --vapid-key FILE'

function hindranceOfExport(exported: string | null, own: string | null): string | null {
  // An application without a key exports none.
  if (exported === null || exported === own) return null
  const has = own === null ? 'has none' : `has ${own}`
  return `is that of a browser, whose subscription is bound to the VAPID key ${exported}, and the application ${has}: app webpush-key writes it there, app webpush --key takes it here`
}

function exportedKey(head: Uint8Array): string | null {
  const [line = ''] = new TextDecoder().decode(head).split('\n', 1)
  const application = parseJsonObject(line)?.['application']
  const key = isJsonObject(application) ? application['webpush'] : null
  return typeof key === 'string' && /^[\w-]{87}$/.test(key) ? key : null
}
