import { createApplicationStore } from '../../src/application/application-store.ts'
import { systemClock } from '../../src/clock.ts'
import { createImportStore } from '../../src/device/transfer/import-store.ts'
import type { ImportOutcome } from '../../src/device/transfer/import-store.ts'
import type { ImportedDevice } from '../../src/device/transfer/imported-device.ts'
import type { Credentials, Service } from './service.ts'

/** Brings a device in beside the server, as `bellhop import` does of another service's list. */
export function importDevice({ database }: Service, { id }: Credentials, device: ImportedDevice): ImportOutcome {
  const application = createApplicationStore({ database, clock: systemClock }).find(id)
  const imports = createImportStore({ database, clock: systemClock })
  return database.transact(() => imports.put(application?.number ?? 0, { imported: true, ...device }))
}
