import type { Database } from '../database/database.ts'
import type { DeviceRow } from './device-row.ts'
import { MAX_LABELS } from './device.ts'
import type { AliasIndex } from './index/alias-index.ts'
import type { DeviceLabels, LabelIndex } from './index/label-index.ts'
import { createLeftDeviceStore } from './left-device-store.ts'
import type { Kept } from './left-device-store.ts'
import type { Registration } from './registration-store.ts'

interface Dependencies {
  readonly database: Pick<Database, 'statement'>
  readonly labels: LabelIndex
  readonly aliases: AliasIndex
}

type PackedToken = string | Uint8Array

/**
 * Devices whose token has changed: the row goes on, with all that stands by its id, so that a push under way reaches it
 * once. To be called inside a transaction.
 */
export function createTokenMoveStore({ database, labels, aliases }: Dependencies) {
  const leftDevices = createLeftDeviceStore({ database })
  // Which environment knows the new one is to be found out.
  const move = database.statement<never, [token: PackedToken, device: number]>(
    'UPDATE device SET token = ?, environment = NULL WHERE id = ?',
  )

  return {
    /** What the device has, and what it had when it left. */
    labelsOf(device: number): DeviceLabels {
      const kept = leftDevices.find(device)
      return kept === null ? labels.find(device) : both(labels.find(device), kept.labels)
    },

    /** Gives the device its new token, which must be free, and back what it had when it left; its row from then on. */
    moveTo(application: number, row: DeviceRow, token: PackedToken): DeviceRow {
      move.run(token, row.id)
      const { kept, aliasTaken } = giveBack({ labels, aliases, leftDevices }, application, row.id)
      return { ...row, token, alias: aliasTaken ? null : (kept?.alias ?? row.alias) }
    },
  }
}

/** Gives labels and alias back to a device that had left; its alias only where no other device has it by now. */
export function giveBack(
  stores: Pick<Dependencies, 'labels' | 'aliases'> & {
    leftDevices: Pick<ReturnType<typeof createLeftDeviceStore>, 'find'>
  },
  application: number,
  device: number,
): { readonly kept: Kept | null; readonly aliasTaken: boolean } {
  const { labels, aliases, leftDevices } = stores
  const kept = leftDevices.find(device)
  const alias = kept?.alias ?? null
  const aliasTaken = alias !== null && !aliases.claim(application, alias, device, false)
  if (alias !== null && !aliasTaken) aliases.set(device, alias)
  labels.add(application, device, 'tag', kept?.labels.tag ?? [])
  labels.add(application, device, 'type', kept?.labels.active ?? [])
  return { kept, aliasTaken }
}

/**
 * A registration that goes on with one device, and has another one under its token: what the app has said of that one is
 * newer, and the labels are those of both.
 */
export function inherited(
  asked: Registration,
  had: DeviceLabels,
  twin: DeviceRow,
  twinLabels: DeviceLabels,
): Registration {
  const labels = both(twinLabels, had)
  const isPlaced = asked.lat === undefined && twin.lat !== null
  return {
    ...asked,
    tag: asked.tag ?? labels.tag,
    active: asked.active ?? labels.active,
    alias: asked.alias ?? twin.alias ?? undefined,
    timezone: asked.timezone ?? twin.timezone ?? undefined,
    ...(isPlaced && { lat: twin.lat, lng: twin.lng ?? undefined }),
  }
}

function both(first: DeviceLabels, second: DeviceLabels): DeviceLabels {
  const union = (some: readonly string[], more: readonly string[]) =>
    more.length === 0 ? some : [...new Set([...some, ...more])].slice(0, MAX_LABELS).toSorted()
  return { tag: union(first.tag, second.tag), active: union(first.active, second.active) }
}
