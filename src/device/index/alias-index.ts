import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import { STATE } from '../device-row.ts'
import type { Platform } from '../device.ts'
import type { LeftDeviceStore } from '../left-device-store.ts'

export interface AliasHolder {
  readonly id: number
  readonly platform: Platform
}

interface Dependencies {
  readonly database: Pick<Database, 'statement'>
  readonly clock: Clock
  readonly leftDevices: LeftDeviceStore
}

/** At most one device of an application has an alias, over all platforms. */
export function createAliasIndex({ database, clock, leftDevices }: Dependencies) {
  const byAlias = database.statement<AliasHolder & { state: number }, [application: number, alias: string]>(
    'SELECT id, platform, state FROM device WHERE application = ? AND alias = ?',
  )
  const write = database.statement<never, [alias: string | null, device: number]>(
    'UPDATE device SET alias = ? WHERE id = ?',
  )
  const take = database.statement<never, [now: number, device: number]>(
    'UPDATE device SET alias = NULL, updated_at = ? WHERE id = ?',
  )

  return {
    /** Only a registered device. */
    holder(application: number, alias: string): AliasHolder | null {
      const row = byAlias.get(application, alias)
      return row?.state === STATE.registered ? row : null
    },

    /**
     * Frees `alias` for `device` (`null`: not yet created). False: another registered device holds it and `takes` is
     * false. A device that is not registered always loses it.
     */
    claim(application: number, alias: string, device: number | null, takes: boolean): boolean {
      const row = byAlias.get(application, alias)
      if (row === null || row.id === device) return true
      if (row.state !== STATE.registered) leftDevices.keepAlias(row.id)
      else if (takes) take.run(clock.now(), row.id)
      else return false
      return true
    },

    /** `null` removes the alias. */
    set(device: number, alias: string | null): void {
      write.run(alias, device)
    },
  }
}
