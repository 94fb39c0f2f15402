import type { Database } from '../database/database.ts'
import type { StoredRow, registrySize } from '../database/schema.ts'

/** Devices in any state. */
export type RegistrySize = Pick<StoredRow<typeof registrySize>, 'devices' | 'labels'>

export type RegistrySizeStore = ReturnType<typeof createRegistrySizeStore>

/** Triggers keep the counts, except for new devices. */
export function createRegistrySizeStore({ database }: { database: Pick<Database, 'statement'> }) {
  const size = database.statement<RegistrySize, [application: number]>(
    'SELECT devices, labels FROM registry_size WHERE application = ?',
  )
  const grow = database.statement<never, [by: number, application: number]>(
    'UPDATE registry_size SET devices = devices + ? WHERE application = ?',
  )
  const brought = database.statement<{ labels: number }, [application: number, network: string]>(
    'SELECT labels FROM label_network WHERE application = ? AND network = ?',
  )
  return {
    sizeOf: (application: number): RegistrySize => size.get(application) ?? { devices: 0, labels: 0 },

    /** Existing labels that a network brought (see `blockOf`). */
    labelsOf: (application: number, network: string): number => brought.get(application, network)?.labels ?? 0,

    /** Call after every INSERT of devices. */
    countDevices: (application: number, count: number): void => void grow.run(count, application),
  }
}
