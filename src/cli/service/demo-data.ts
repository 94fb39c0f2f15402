import { randomBytes } from 'node:crypto'
import { createAdminLinkStore } from '../../admin/admin-link-store.ts'
import { createAdministratorStore } from '../../admin/administrator-store.ts'
import { linkUrl } from '../../admin/link-url.ts'
import { createPasswords } from '../../admin/password.ts'
import { createApplicationStore } from '../../application/application-store.ts'
import type { Clock } from '../../clock.ts'
import { openDatabase } from '../../database/database.ts'

const NAME = 'demo'

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

/** Where whoever opens it is signed in as the administrator of the demo, once: nobody knows a password. */
export async function demoAdministrator(data: string, clock: Clock): Promise<(adminUrl: string) => string> {
  const hash = await createPasswords().hash(randomBytes(32).toString('base64url'))
  using database = openDatabase(data)
  const administrators = createAdministratorStore({ database, clock })
  const administrator = administrators.find(NAME) ?? administrators.add(NAME, hash)
  const link = createAdminLinkStore({ database, clock }).make(administrator)
  return (adminUrl) => linkUrl(adminUrl, link)
}
