import { PLAIN, plainOf } from '../columns.ts'
import { MAX_LABELS } from '../device-fields.ts'
import { STATE } from '../device-row.ts'
import type { DeviceRow } from '../device-row.ts'
import { packToken } from '../device.ts'
import type { Device, PackedToken } from '../device.ts'
import { withoutLeftOut } from '../growth.ts'
import type { GrowthBoundsOfCall, Shortage } from '../growth.ts'
import { missingIn, NO_LABELS } from '../index/label-index.ts'
import type { DeviceLabels } from '../index/label-index.ts'
import type { Kept } from '../left-device-store.ts'
import { canonicalToken } from '../push-token.ts'
import type { Registry } from '../registry-store.ts'
import type { FoundRow, KnownRow } from './device-lookup-store.ts'
import type { Registered, Registration, RegistrationRights, Unproven } from './registration.ts'

type Update = (application: number, said: Registration, row: KnownRow, had: DeviceLabels) => Device

/** A device keeps its row and id, so a push under way reaches it once. */
export function createTokenMoveStore(registry: Registry, update: Update) {
  const { database, labels, aliases, growth, lookup, leftDevices } = registry
  // The new token's environment is unknown.
  const move = database.statement<never, [token: PackedToken, device: number]>(
    'UPDATE device SET token = ?, environment = NULL WHERE id = ?',
  )

  function labelsOf(device: number): DeviceLabels {
    const kept = leftDevices.find(device)
    return kept === null ? labels.find(device) : both(labels.find(device), kept.labels)
  }

  function aliasOf(application: number, row: DeviceRow): string | null {
    if (row.alias !== null) return row.alias
    const kept = leftDevices.find(row.id)?.alias ?? null
    return kept !== null && aliases.holder(application, kept) === null ? kept : null
  }

  /** A name of `row` that the registration says neither as user nor as alias. */
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

  return {
    /** In any state: a gone device comes back. */
    replacedBy(application: number, { platform, token, replaces = token }: Registration): DeviceRow | null {
      const isSame = canonicalToken(platform, replaces) === canonicalToken(platform, token)
      return isSame ? null : lookup.byToken(application, platform, packToken(replaces, platform))
    },

    /** Registers the device of `row` under a new token. */
    moveOn(
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
      if (other !== null) lookup.erase(other)
      move.run(token, row.id)
      const back = giveBack(registry, application, row.id)
      const moved = { ...row, token, alias: back.aliasTaken ? null : (back.kept?.alias ?? row.alias) }
      const isFree = !wanted.alias || aliases.claim(application, wanted.alias, row.id, takesAlias)
      const said = withoutLeftOut(isFree ? wanted : { ...wanted, alias: '' }, leftOut)
      const device = update(application, said, moved, had)
      return { kind: row.state === STATE.registered ? 'updated' : 'created', device, aliasTaken: !isFree, leftOut }
    },
  }
}

/** Another device may have taken the alias. */
export function giveBack(
  { labels, aliases, leftDevices }: Pick<Registry, 'labels' | 'aliases' | 'leftDevices'>,
  application: number,
  device: number,
): { readonly kept: Kept | null; readonly aliasTaken: boolean } {
  const kept = leftDevices.find(device)
  const alias = kept?.alias ?? null
  const aliasTaken = alias !== null && !aliases.claim(application, alias, device, false)
  if (alias !== null && !aliasTaken) aliases.set(device, alias)
  if (kept !== null) labels.replace(application, device, NO_LABELS, kept.labels)
  return { kept, aliasTaken }
}

/** The app now uses one token for two devices. Its reports on the twin are newer; labels of both count. */
function inherited(asked: Registration, had: DeviceLabels, twin: KnownRow, twinLabels: DeviceLabels): Registration {
  const labels = both(twinLabels, had)
  const isPlaced = asked.lat === undefined && twin.lat !== null
  const plain = plainOf(twin)
  return {
    ...asked,
    tag: asked.tag ?? labels.tag,
    active: asked.active ?? labels.active,
    alias: asked.alias ?? twin.alias ?? undefined,
    ...Object.fromEntries(PLAIN.map((name) => [name, asked[name] ?? plain[name] ?? undefined])),
    ...(isPlaced && { lat: twin.lat, lng: twin.lng ?? undefined }),
  }
}

function both(first: DeviceLabels, second: DeviceLabels): DeviceLabels {
  const union = (some: readonly string[], more: readonly string[]) =>
    more.length === 0 ? some : [...new Set([...some, ...more])].slice(0, MAX_LABELS).toSorted()
  return { tag: union(first.tag, second.tag), active: union(first.active, second.active) }
}
