import type { Application } from '../application/application.ts'
import type { CredentialStore } from '../application/credential-store.ts'
import type { Database } from '../database/database.ts'
import { createDeviceSearch } from '../device/device-search-store.ts'
import { factsOf, PLATFORMS } from '../platform.ts'
import { createStatusStore } from '../push/status/status-store.ts'
import { counted } from '../text/format.ts'

export type RealThings = ReturnType<typeof createRealThings>

interface Options {
  readonly database: Pick<Database, 'reading' | 'readingOrm'>
  readonly credentials: Pick<CredentialStore, 'summaries'>
}

/**
 * What simulating would affect: `3 devices`, `an APNs credential`; `null`: nothing. `hasBrowsers`: they would still get
 * real pushes.
 */
export function createRealThings({ database, credentials }: Options) {
  const search = createDeviceSearch({ database })
  const statuses = createStatusStore({ database })
  return (application: Application) => {
    const devices = search.counts(application.number, PLATFORMS).reduce((sum, { registered }) => sum + registered, 0)
    const pushes = statuses.unfinished(application.number)
    const facts = credentials.summaries(application).map(({ provider }) => factsOf(provider))
    const things = [
      ...(devices > 0 ? [counted(devices, 'device')] : []),
      ...(pushes > 0 ? [`${counted(pushes, 'push', 'pushes')} to be sent`] : []),
      ...facts.map(({ credential }) => credential),
    ]
    return things.length === 0 ? null : { things, hasBrowsers: facts.some((one) => one.isRealWhenSimulated) }
  }
}
