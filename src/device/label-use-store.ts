import type { Database } from '../database/database.ts'
import type { Platform } from './device.ts'
import { LABEL_KIND } from './index/label-index.ts'
import type { LabelKind } from './index/label-index.ts'

/** Whether a gateway accepted a notification for the device; `null`: for no device of the platform. */
export type WasAccepted = (platform: Platform, device: number) => boolean | null

export interface LabelUse {
  readonly id: number
  readonly kind: LabelKind
  readonly name: string
  /** See `blockOf`; `null`: the backend, an import, or a version that did not store it. */
  readonly network: string | null
  readonly devices: number
  /** Devices without an accepted notification, on platforms with some. */
  readonly newcomers: number
  /** Devices of platforms without any. */
  readonly unknown: number
}

interface UseRow extends Pick<LabelUse, 'id' | 'name' | 'network'> {
  readonly kind: number
  readonly device: number | null
  readonly platform: Platform
}

export function createLabelUses({ database }: { readonly database: Pick<Database, 'statement' | 'reading'> }) {
  const uses = database.reading<UseRow, [application: number]>(
    `SELECT l.id, l.kind, l.name, l.network, d.id AS device, d.platform
     FROM label l LEFT JOIN device_label dl ON dl.label = l.id LEFT JOIN device d ON d.id = dl.device
     WHERE l.application = ? ORDER BY l.id`,
  )
  const networks = database.reading<{ network: string; labels: number }, [application: number, limit: number]>(
    'SELECT network, labels FROM label_network WHERE application = ? ORDER BY labels DESC, network LIMIT ?',
  )
  const holders = database.statement<{ id: number; platform: Platform }, [label: number, limit: number]>(
    `SELECT d.id, d.platform FROM device_label dl CROSS JOIN device d ON d.id = dl.device WHERE dl.label = ? LIMIT ?`,
  )
  const detach = database.statement<never, [label: number, device: number]>(
    'DELETE FROM device_label WHERE label = ? AND device = ?',
  )

  return {
    /** Oldest first. Reads all labels of all devices. */
    *all(application: number, wasAccepted: WasAccepted): Generator<LabelUse> {
      let last: UseRow | null = null
      let counts = { devices: 0, newcomers: 0, unknown: 0 }
      for (const row of uses.iterate(application)) {
        if (last !== null && row.id !== last.id) {
          yield useOf(last, counts)
          counts = { devices: 0, newcomers: 0, unknown: 0 }
        }
        last = row
        if (row.device === null) continue
        const accepted = wasAccepted(row.platform, row.device)
        counts.devices++
        if (accepted === false) counts.newcomers++
        if (accepted === null) counts.unknown++
      }
      if (last !== null) yield useOf(last, counts)
    },

    networks: (application: number, limit: number): { network: string; labels: number }[] =>
      networks.all(application, limit),

    /**
     * Takes a label from up to `limit` devices, or from none if one is no newcomer; returns the count.
     * `LabelIndex.sweep` erases the label itself.
     */
    clear(label: number, isNewcomer: (platform: Platform, device: number) => boolean, limit: number): number {
      const some = holders.all(label, limit)
      if (!some.every(({ platform, id }) => isNewcomer(platform, id))) return 0
      for (const { id } of some) detach.run(label, id)
      return some.length
    },
  }
}

function useOf(
  { id, kind, name, network }: UseRow,
  counts: Pick<LabelUse, 'devices' | 'newcomers' | 'unknown'>,
): LabelUse {
  return { id, kind: kind === LABEL_KIND.tag ? 'tag' : 'type', name, network, ...counts }
}
