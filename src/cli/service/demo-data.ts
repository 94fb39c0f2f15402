import { randomBytes } from 'node:crypto'
import { createAdminLinkStore } from '../../admin/session/admin-link-store.ts'
import { createAdministratorStore } from '../../admin/administrator-store.ts'
import { linkUrl } from '../../admin/session/link-url.ts'
import { hashPassword } from '../../admin/password.ts'
import { createApplicationStore } from '../../application/application-store.ts'
import { createCredentialStore } from '../../application/credential-store.ts'
import { makeVapid } from '../../application/vapid.ts'
import type { Clock } from '../../clock.ts'
import { openDatabase } from '../../database/database.ts'
import type { Problem } from '../../failure.ts'
import type { Problems } from '../../settings/parse.ts'
import { openSealingKey } from '../backup/open-sealing-key.ts'
import type { CommandContext } from '../command.ts'

const NAME = 'demo'

/** Whom push services reach when something is wrong: at a domain that is nobody's (RFC 2606, 3). */
const NOBODY = 'mailto:demo@example.com'

/** The application of the demo, on the simulator. Of its secret only the hash is stored: each start shows a new one. */
export function demoApplication(data: string, clock: Clock): { readonly id: string; readonly secret: string } {
  using database = openDatabase(data)
  const applications = createApplicationStore({ database, clock })
  const known = applications.find(NAME)
  const turned = known === null ? null : applications.rotateSecret(known.id)
  if (known !== null && turned?.kind === 'rotated') return { id: known.id, secret: turned.secret }
  const made = applications.create(NAME)
  if (made.kind !== 'created') throw new Error(made.kind)
  applications.setSimulated(made.application.id, true)
  return { id: made.application.id, secret: made.secret }
}

/**
 * Gives the application a key for browsers, which takes no account: these are reached for real. The key that is there stays.
 * What is wrong with the sealing key; `null`: nothing.
 */
export function demoBrowserKey(id: string, data: string, context: CommandContext): Problem | Problems | null {
  using database = openDatabase(data)
  const application = createApplicationStore({ database, clock: context.clock }).find(id)
  if (application === null) return null
  return database.transact(() => {
    const loaded = openSealingKey({ ...context, database, dataDirectory: data })
    if (loaded.kind !== 'loaded') return loaded
    const credentials = createCredentialStore({ database, clock: context.clock, key: loaded.key })
    if (credentials.credentialOf(application, 'webpush') === null) credentials.put(application, makeVapid(NOBODY))
    return null
  })
}

/** Where whoever opens it is signed in as the administrator of the demo, once: nobody knows a password. */
export async function demoAdministrator(data: string, clock: Clock): Promise<(adminUrl: string) => string> {
  const hash = await hashPassword(randomBytes(32).toString('base64url'))
  using database = openDatabase(data)
  const administrators = createAdministratorStore({ database, clock })
  const administrator = administrators.find(NAME) ?? administrators.add(NAME, hash)
  const link = createAdminLinkStore({ database, clock }).make(administrator)
  return (adminUrl) => linkUrl(adminUrl, link)
}
