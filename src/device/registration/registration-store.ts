import { plainAfter, plainOf } from '../columns.ts'
import { STATE } from '../device-row.ts'
import type { DeviceRow } from '../device-row.ts'
import { packToken, unpackToken } from '../device.ts'
import type { Device, PackedToken, Platform } from '../device.ts'
import { UNBOUNDED, withoutLeftOut } from '../growth.ts'
import type { GrowthBoundsOfCall, Shortage } from '../growth.ts'
import { missingIn, namesOf, NO_LABELS } from '../index/label-index.ts'
import type { DeviceLabels } from '../index/label-index.ts'
import { canonicalToken } from '../push-token.ts'
import type { Registry } from '../registry-store.ts'
import type { FoundRow, KnownRow } from './device-lookup-store.ts'
import type { Registered, Registration, RegistrationRights, Unproven } from './registration.ts'
import { createTokenMoveStore } from './token-move-store.ts'

export function createRegistrationStore(registry: Registry) {
  const { database, clock, labels, aliases, columns, sizes, growth, keys, lookup, adoptions } = registry
  const moves = createTokenMoveStore(registry, update)
  const claim = database.statement<never, [device: number]>('UPDATE device SET imported = 0 WHERE id = ?')

  function create(application: number, input: Registration, token: PackedToken): Device {
    const now = clock.now()
    const { platform, lat = null, lng = null } = input
    const alias = input.alias || null
    const plain = plainAfter(input)
    const row = { application, platform, state: STATE.registered, environment: null, token, alias, lat, lng, badge: 0 }
    const id = columns.insert({ ...row, registered_at: now, seen_at: now, updated_at: now, imported: null }, plain)
    if (input.keys !== undefined) keys.set(id, input.keys)
    sizes.countDevices(application, 1)
    const [tag, active] = [namesOf(input.tag), namesOf(input.active)]
    labels.replace(application, id, NO_LABELS, { tag, active })
    return {
      ...plain,
      id,
      token: unpackToken(token),
      platform,
      lat,
      lng,
      active,
      tag,
      alias,
      badge: 0,
      registeredAt: now,
      updatedAt: now,
    }
  }

  function update(application: number, input: Registration, row: KnownRow, had: DeviceLabels): Device {
    const now = clock.now()
    const { id, platform, badge } = row
    const { lat = row.lat, lng = row.lng } = input
    const alias = input.alias === undefined ? row.alias : input.alias || null
    lookup.touch(row, now)
    if (input.keys !== undefined) keys.set(id, input.keys)
    columns.move(id, row, { lat, lng })
    if (alias !== row.alias) aliases.set(id, alias)
    if (row.imported === 1) claim.run(id)
    const plain = columns.change(id, plainOf(row), input)
    const tag = input.tag === undefined ? had.tag : namesOf(input.tag, had.tag)
    const active = input.active === undefined ? had.active : namesOf(input.active, had.active)
    labels.replace(application, id, had, { tag, active })
    const token = canonicalToken(platform, input.token)
    const registeredAt = row.registered_at
    return { ...plain, id, token, platform, lat, lng, active, tag, alias, badge, registeredAt, updatedAt: now }
  }

  function register(
    application: number,
    asked: Registration,
    rights?: Omit<RegistrationRights, 'bringsNames'>,
  ): Registered
  function register(
    application: number,
    asked: Registration,
    rights: RegistrationRights,
    bounds: GrowthBoundsOfCall,
  ): Registered | Unproven | Shortage
  function register(
    application: number,
    asked: Registration,
    rights: RegistrationRights = {},
    bounds: GrowthBoundsOfCall = UNBOUNDED,
  ): Registered | Unproven | Shortage {
    const token = packToken(asked.token, asked.platform)
    const found = lookup.lookUp(application, asked.platform, token)
    const replaced = moves.replacedBy(application, asked)
    if (replaced !== null) return moves.moveOn(application, asked, found, replaced, rights, bounds)
    const twin = found.kept === null ? lookup.twinOf(application, asked) : null
    if (twin !== null) return moveOnAs(twin, application, asked, found, rights, bounds)
    // The imported alias belongs to the user, who has a proof if one is needed.
    const imported = rights.adopts === true ? adoptions.find(application, asked, token, found) : null
    if (imported !== null) {
      const outcome = moves.moveOn(application, asked, found, imported, { ...rights, bringsNames: true }, bounds)
      if (!('device' in outcome)) return outcome
      adoptions.note(application, imported, clock.now())
      return { ...outcome, adopted: true }
    }
    const { kind, kept, gone } = found
    const had = kept === null ? NO_LABELS : labels.find(kept.id)
    // A gone device is already stored.
    const isNew = kept === null && gone === null
    const added = {
      isNew,
      bytes: isNew
        ? Buffer.byteLength(token) + Buffer.byteLength(asked.alias ?? '') + Buffer.byteLength(asked.user ?? '')
        : 0,
      tag: missingIn(had.tag, asked.tag),
      type: missingIn(had.active, asked.active),
    }
    const growing = growth.admit(application, added, bounds)
    if (growing.kind !== 'admitted') return growing
    const { leftOut } = growing
    // Most launches repeat the device's own alias, which no other device can have.
    const isKept = kept !== null && kept.alias === asked.alias
    const isFree =
      !asked.alias || isKept || aliases.claim(application, asked.alias, kept?.id ?? null, rights.takesAlias ?? false)
    // Without an alias the device still gets pushes; a refusal would lock out a reinstalled app. Its previous alias
    // goes too: pushes to that one are no longer for it.
    const input = withoutLeftOut(isFree ? asked : { ...asked, alias: '' }, leftOut)
    if (kept === null && gone !== null) lookup.erase(gone.id)
    const device = kept === null ? create(application, input, token) : update(application, input, kept, had)
    return { kind, device, aliasTaken: !isFree, leftOut }
  }

  /** Drops names that the caller may not have. */
  function moveOnAs(
    twin: DeviceRow,
    application: number,
    asked: Registration,
    found: FoundRow,
    rights: RegistrationRights,
    bounds: GrowthBoundsOfCall,
  ): Registered | Unproven | Shortage {
    const outcome = moves.moveOn(application, asked, found, twin, rights, bounds)
    if (outcome.kind !== 'unproven') return outcome
    return moveOnAs(twin, application, { ...asked, [outcome.field]: '' }, found, rights, bounds)
  }

  return {
    register,

    /** Feedback on its token stays. Pending retries know only its id, find no device, and are counted. */
    unregister(application: number, platform: Platform, token: string): void {
      const { kept, gone } = lookup.lookUp(application, platform, packToken(token, platform))
      const row = kept ?? gone
      if (row !== null) lookup.erase(row.id)
    },
  }
}
