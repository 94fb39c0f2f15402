import type { Application } from '../../application/application.ts'
import { createCredentialStore } from '../../application/credential-store.ts'
import { vapidJson } from '../../application/vapid.ts'
import { problem } from '../../failure.ts'
import { openSealingKey } from '../backup/open-sealing-key.ts'
import { done } from '../command.ts'
import type { CommandOutcome, RunCommand } from '../command.ts'
import { openApplication } from '../open-application.ts'
import { webPushKeyOf } from '../transfer/subscribed-key.ts'
import { startFile } from '../transfer/unfinished-file.ts'

/**
 * Writes the VAPID key pair of an application, unsealed. Other credentials are files of Apple and Google, which the
 * operator has; this one was made here, and subscriptions are of use to nobody without it.
 */
export const run: RunCommand = async ({ words: [app = '', path = ''], flags }, context) => {
  const opened = openApplication(app, flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const { application, data } = opened
  if (webPushKeyOf(application, database, context) === null) return noKey(application)
  const loaded = openSealingKey({ ...context, database, dataDirectory: data })
  if (loaded.kind !== 'loaded') return loaded
  const credentials = createCredentialStore({ database, clock: context.clock, key: loaded.key })
  const credential = credentials.credentialOf(application, 'webpush')
  if (credential === null) return noKey(application)
  using file = startFile(path)
  file.write(Buffer.from(`${vapidJson(credential)}\n`))
  file.finish()
  return done(
    `${path} has the VAPID key ${credential.publicKey}, not sealed: whoever reads it can send to the browsers.\n`,
  )
}

function noKey({ id }: Application): CommandOutcome {
  return problem(`The application has no key for web push: bellhop app webpush ${id} makes one.`)
}
