import type { Database } from '../../database/database.ts'
import { DEVICE_COLUMNS, fcmPlatformOf, STATE } from '../device-row.ts'
import type { DeviceRow } from '../device-row.ts'
import { MAX_LABELS, packToken } from '../device.ts'
import { canonicalToken } from '../push-token.ts'
import type { Device, PackedToken } from '../device.ts'
import { withoutLeftOut } from '../growth.ts'
import type { Growth, GrowthBoundsOfCall, Shortage } from '../growth.ts'
import type { AliasIndex } from '../index/alias-index.ts'
import { missingIn } from '../index/label-index.ts'
import type { DeviceLabels, LabelIndex } from '../index/label-index.ts'
import { createLeftDeviceStore } from '../left-device-store.ts'
import type { Kept } from '../left-device-store.ts'
import type { FoundRow, KnownRow } from './found-device-store.ts'
import type { Registered, Registration, RegistrationRights, Unproven } from './registration.ts'

interface Dependencies {
  readonly database: Pick<Database, 'statement'>
  readonly labels: LabelIndex
  readonly aliases: AliasIndex
  readonly growth: Growth
  /** Writes what a registration says of the device of `row`, which has the labels `had`. */
  readonly update: (application: number, said: Registration, row: KnownRow, had: DeviceLabels) => Device
}

/**
 * Devices whose token has changed: the row goes on, with all that stands by its id, so that a push under way reaches it
 * once. To be called inside a transaction.
 */
export function createTokenMoveStore({ database, labels, aliases, growth, update }: Dependencies) {
  const leftDevices = createLeftDeviceStore({ database })
  const byToken = database.statement<DeviceRow, [application: number, platform: number, token: PackedToken]>(
    `SELECT ${DEVICE_COLUMNS} FROM device WHERE application = ? AND platform = ? AND token = ?`,
  )
  const erase = database.statement<never, [device: number]>('DELETE FROM device WHERE id = ?')
  // Which environment knows the new one is to be found out.
  const move = database.statement<never, [token: PackedToken, device: number]>(
    'UPDATE device SET token = ?, environment = NULL WHERE id = ?',
  )

  /** What the device has, and what it had when it left. */
  function labelsOf(device: number): DeviceLabels {
    const kept = leftDevices.find(device)
    return kept === null ? labels.find(device) : both(labels.find(device), kept.labels)
  }

  /** What alias the device has, or gets back. */
  function aliasOf(application: number, row: DeviceRow): string | null {
    if (row.alias !== null) return row.alias
    const kept = leftDevices.find(row.id)?.alias ?? null
    return kept !== null && aliases.holder(application, kept) === null ? kept : null
  }

  /** What of `row` would be the device's though nobody said it; a name that was said as the other of the two was. */
  function nameBrought(
    application: number,
    asked: Registration,
    wanted: Registration,
    row: DeviceRow,
  ): Unproven['field'] | null {
    if (wanted.user === undefined && row.user !== null && row.user !== asked.alias) return 'user'
    const alias = wanted.alias === undefined ? aliasOf(application, row) : null
    return alias === null || alias === asked.user ? null : 'alias'
  }

  /** Gives the device its new token, which must be free, and back what it had when it left; its row from then on. */
  function moveTo(application: number, row: DeviceRow, token: PackedToken): DeviceRow {
    move.run(token, row.id)
    const { kept, aliasTaken } = giveBack({ labels, aliases, leftDevices }, application, row.id)
    return { ...row, token, alias: aliasTaken ? null : (kept?.alias ?? row.alias) }
  }

  return {
    /** The device whose place the token takes, in whatever state: who was gone is back. */
    replacedBy(application: number, { platform, token, replaces = token }: Registration): DeviceRow | null {
      const isSame = canonicalToken(platform, replaces) === canonicalToken(platform, token)
      return isSame ? null : byToken.get(application, platform, packToken(replaces, platform))
    },

    /** A registration under a new token of a device, `row`, that is known by another one. */
    goOn(
      application: number,
      asked: Registration,
      { kept: twin, gone }: FoundRow,
      row: DeviceRow,
      { takesAlias = false, bringsNames = true }: RegistrationRights,
      bounds: GrowthBoundsOfCall,
    ): Registered | Unproven | Shortage {
      const had = labelsOf(row.id)
      const wanted = twin === null ? asked : inherited(asked, had, twin, labels.find(twin.id))
      const brought = bringsNames ? null : nameBrought(application, asked, wanted, row)
      if (brought !== null) return { kind: 'unproven', field: brought }
      const token = packToken(asked.token, asked.platform)
      const [tag, type] = [missingIn(had.tag, wanted.tag), missingIn(had.active, wanted.active)]
      const added = { isNew: false, bytes: Buffer.byteLength(token), tag, type }
      const growing = growth.admit(application, added, bounds)
      if (growing.kind !== 'admitted') return growing
      const { leftOut } = growing
      const other = twin?.id ?? gone?.id ?? null
      if (other !== null) erase.run(other)
      const moved = moveTo(application, row, token)
      const isFree = !wanted.alias || aliases.claim(application, wanted.alias, row.id, takesAlias)
      const said = withoutLeftOut(isFree ? wanted : { ...wanted, alias: '' }, leftOut)
      const device = update(application, said, moved, had)
      return { kind: row.state === STATE.registered ? 'updated' : 'created', device, aliasTaken: !isFree, leftOut }
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
function inherited(asked: Registration, had: DeviceLabels, twin: KnownRow, twinLabels: DeviceLabels): Registration {
  const labels = both(twinLabels, had)
  const isPlaced = asked.lat === undefined && twin.lat !== null
  return {
    ...asked,
    tag: asked.tag ?? labels.tag,
    active: asked.active ?? labels.active,
    alias: asked.alias ?? twin.alias ?? undefined,
    user: asked.user ?? twin.user ?? undefined,
    timezone: asked.timezone ?? twin.timezone ?? undefined,
    locale: asked.locale ?? twin.locale ?? undefined,
    fcmPlatform: asked.fcmPlatform ?? fcmPlatformOf(twin.fcm_platform) ?? undefined,
    ...(isPlaced && { lat: twin.lat, lng: twin.lng ?? undefined }),
  }
}

function both(first: DeviceLabels, second: DeviceLabels): DeviceLabels {
  const union = (some: readonly string[], more: readonly string[]) =>
    more.length === 0 ? some : [...new Set([...some, ...more])].slice(0, MAX_LABELS).toSorted()
  return { tag: union(first.tag, second.tag), active: union(first.active, second.active) }
}
