import type { Application } from '../../application/application.ts'
import { createCredentialStore } from '../../application/credential-store.ts'
import { vapidJson } from '../../application/vapid.ts'
import { problem } from '../../failure.ts'
import { done } from '../command.ts'
import type { CommandOutcome, RunOnApplication } from '../command.ts'
import { webPushKeyOf } from '../transfer/subscribed-key.ts'
import { startNamedFile } from '../transfer/unfinished-file.ts'

/** Not sealed: subscriptions work only with this key, which was made here. Apple's and Google's are files already. */
export const run: RunOnApplication = async ({ words: [, path = ''], flags }, world) => {
  const { database, clock, application } = world
  if (webPushKeyOf(application, world) === null) return noKey(application)
  const loaded = world.sealingKey()
  if (loaded.kind !== 'loaded') return loaded
  const credentials = createCredentialStore({ database, clock, key: loaded.key })
  const credential = credentials.credentialOf(application, 'webpush')
  if (credential === null) return noKey(application)
  using file = startNamedFile(path, flags.has('force'))
  file.write(Buffer.from(`${vapidJson(credential)}\n`))
  file.finish()
  return done(
    `${path} has the VAPID key ${credential.publicKey}, not sealed: whoever reads it can send to the browsers.\n`,
  )
}

function noKey({ id }: Application): CommandOutcome {
  return problem(`The application has no key for web push: bellhop app webpush ${id} makes one.`)
}
