import { createCredentialStore } from '../../application/credential-store.ts'
import { nextVapid } from '../../application/vapid.ts'
import type { VapidCredential } from '../../application/vapid.ts'
import type { Problem } from '../../failure.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import type { Problems } from '../../settings/parse.ts'
import { done, FINE, problems } from '../command.ts'
import type { CheckArguments, CommandContext, ParsedArguments, RunOnApplication } from '../command.ts'
import { dataFlagOf } from '../data-directory.ts'
import { readGivenFile } from '../read-given-file.ts'

export const check: CheckArguments = ({ flags }) =>
  flags.has('key') && flags.has('new') ? problems("--key and --new can't be combined.") : FINE

export const run: RunOnApplication = async ({ flags }, world) => {
  const { database, clock, application } = world
  const stored = database.transact(() => {
    const loaded = world.sealingKey()
    if (loaded.kind !== 'loaded') return loaded
    const credentials = createCredentialStore({ database, clock, key: loaded.key })
    const before = credentials.credentialOf(application, 'webpush')
    const credential = wanted(before, flags, world)
    if (credential.kind !== 'vapid') return credential
    // Without a change, connections stay open.
    if (JSON.stringify(credential) !== JSON.stringify(before)) credentials.put(application, credential)
    return { ...loaded, credential, before }
  })
  if (stored.kind !== 'loaded') return stored
  const { credential, before, notes } = stored
  const { publicKey, subject } = credential
  const { id, name, simulated } = application
  if (flags.has('json')) return done(jsonLine({ id, name, publicKey, subject }))
  const isOther = before !== null && before.publicKey !== publicKey
  return done(
    [
      `"${escapeControls(name)}" sends web push with this public key, for ${escapeControls(subject)}:`,
      '',
      `  ${publicKey}`,
      '',
      'A page subscribes with it: pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: "…" }).',
      `One that does is at /webpush/${id} of the public API.`,
      ...(isOther
        ? ['This key is different from the previous one: browsers subscribed with that one must subscribe again.']
        : []),
      ...(simulated ? ['Its phones are still simulated; browsers get real pushes.'] : []),
      ...notes,
      `Check it with: bellhop doctor ${id}${dataFlagOf(flags.get('data'))}`,
      '',
    ].join('\n'),
  )
}

function wanted(
  before: VapidCredential | null,
  flags: ParsedArguments['flags'],
  context: CommandContext,
): VapidCredential | Problem | Problems {
  const path = flags.get('key')
  const file = path === undefined ? null : readGivenFile(path, context)
  if (file?.kind === 'problem') return file
  const next = nextVapid(before, { subject: flags.get('subject'), key: file?.text, isNew: flags.has('new') })
  return next ?? problems('app webpush needs --subject mailto:… or --subject https://….')
}
