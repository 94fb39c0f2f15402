import { createCredentialStore } from '../../application/credential-store.ts'
import { providerOf } from '../../application/credential.ts'
import type { ApnsCredential, FcmCredential } from '../../application/credential.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { done } from '../command.ts'
import type { ApplicationWorld, CommandOutcome, ParsedArguments } from '../command.ts'
import { dataFlagOf } from '../data-directory.ts'
import { credentialText } from './app-text.ts'
import { factsOf } from '../../platform.ts'

/** Seals and stores a credential that was read; answers with its new summary. */
export function storeCredential(
  flags: ParsedArguments['flags'],
  { application, database, clock, sealingKey }: ApplicationWorld,
  credential: ApnsCredential | FcmCredential | CommandOutcome,
): CommandOutcome {
  if (!isCredential(credential)) return credential

  const sealing = database.transact(() => {
    const loaded = sealingKey()
    if (loaded.kind !== 'loaded') return loaded
    const credentials = createCredentialStore({ database, clock, key: loaded.key })
    credentials.put(application, credential)
    return { ...loaded, summaries: credentials.summaries(application) }
  })
  if (sealing.kind !== 'loaded') return sealing

  const { id, name, simulated } = application
  const provider = providerOf(credential)
  const stored = sealing.summaries
    .filter((summary) => summary.provider === provider)
    .map((summary) => `"${escapeControls(name)}" has ${factsOf(provider).credential}: ${credentialText(summary)}.`)
  const lines = [
    ...stored,
    ...(simulated ? [`It still uses the simulator: bellhop app simulate ${id} --off`] : []),
    ...sealing.notes,
    ...(simulated ? [] : [`Check it with: bellhop doctor ${id}${dataFlagOf(flags.get('data'))}`]),
  ]
  return done(`${lines.join('\n')}\n`)
}

function isCredential(read: ApnsCredential | FcmCredential | CommandOutcome): read is ApnsCredential | FcmCredential {
  return read.kind === 'key' || read.kind === 'certificate' || read.kind === 'service-account'
}
