import { randomBytes } from 'node:crypto'
import { createAdminLinkStore } from '../../admin/session/admin-link-store.ts'
import { createAdministratorStore } from '../../admin/administrator-store.ts'
import { linkUrl } from '../../admin/session/link-url.ts'
import { hashPassword } from '../../admin/password.ts'
import { createApplicationStore } from '../../application/application-store.ts'
import { createCredentialStore } from '../../application/credential-store.ts'
import { makeVapid } from '../../application/vapid.ts'
import type { Problem } from '../../failure.ts'
import type { Problems } from '../../settings/parse.ts'
import type { World } from '../command.ts'

const NAME = 'demo'

/** Push services' contact, in a domain reserved for examples (RFC 2606, 3). */
const NOBODY = 'mailto:demo@example.com'

/** On the simulator. Only the secret's hash is stored, so each start makes a new one. */
export function demoApplication(world: World): { readonly id: string; readonly secret: string } {
  const applications = createApplicationStore(world)
  const known = applications.find(NAME)
  const turned = known === null ? null : applications.rotateSecret(known.id)
  if (known !== null && turned?.kind === 'rotated') return { id: known.id, secret: turned.secret }
  const made = applications.create(NAME)
  if (made.kind !== 'created') throw new Error(made.kind)
  applications.setSimulated(made.application.id, true)
  return { id: made.application.id, secret: made.secret }
}

/**
 * Browsers are reached for real, which takes a key but no account. An existing key stays. Returns a problem with the
 * sealing key; `null`: none.
 */
export function demoBrowserKey(id: string, world: World): Problem | Problems | null {
  const application = createApplicationStore(world).find(id)
  if (application === null) return null
  return world.database.transact(() => {
    const loaded = world.sealingKey()
    if (loaded.kind !== 'loaded') return loaded
    const credentials = createCredentialStore({ ...world, key: loaded.key })
    if (credentials.credentialOf(application, 'webpush') === null) credentials.put(application, makeVapid(NOBODY))
    return null
  })
}

/** A link that signs in once as the demo's administrator, who has no known password. */
export async function demoAdministrator(world: World): Promise<(adminUrl: string) => string> {
  const hash = await hashPassword(randomBytes(32).toString('base64url'))
  const administrators = createAdministratorStore(world)
  const administrator = administrators.find(NAME) ?? administrators.add(NAME, hash)
  const link = createAdminLinkStore(world).make(administrator)
  return (adminUrl) => linkUrl(adminUrl, link)
}
