import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import { packToken, unpackToken } from '../device.ts'
import { canonicalToken } from '../push-token.ts'
import type { Device, PackedToken, Platform } from '../device.ts'
import { UNBOUNDED, withoutLeftOut } from '../growth.ts'
import type { GrowthBoundsOfCall, Growth, Shortage } from '../growth.ts'
import type { AliasIndex } from '../index/alias-index.ts'
import { missingIn, namesOf } from '../index/label-index.ts'
import type { LabelIndex, DeviceLabels } from '../index/label-index.ts'
import { cellAt } from '../index/place-index.ts'
import type { PlaceIndex } from '../index/place-index.ts'
import type { ZoneIndex } from '../index/zone-index.ts'
import type { RegistrySizeStore } from '../registry-size-store.ts'
import { FCM_PLATFORM, fcmPlatformOf } from '../device-row.ts'
import type { DeviceRow } from '../device-row.ts'
import { createFcmPlatformStore } from '../fcm-platform-store.ts'
import { createDeviceKeyStore } from '../webpush/device-key-store.ts'
import { createAdoptionStore } from './adoption-store.ts'
import { createFoundDeviceStore } from './found-device-store.ts'
import type { FoundRow, KnownRow } from './found-device-store.ts'
import { createInstallationStore } from './installation-store.ts'
import type { Registered, Registration, RegistrationRights, Unproven } from './registration.ts'
import { createTokenMoveStore } from './token-move-store.ts'

interface Dependencies {
  readonly database: Pick<Database, 'statement'>
  readonly clock: Clock
  readonly labels: LabelIndex
  readonly aliases: AliasIndex
  readonly places: PlaceIndex
  readonly zones: ZoneIndex
  readonly sizes: RegistrySizeStore
  readonly growth: Growth
}

/** How devices come into the registry and leave it. Every function checks before it writes. */
export function createRegistrationStore({
  database,
  clock,
  labels,
  aliases,
  places,
  zones,
  sizes,
  growth,
}: Dependencies) {
  const statements = prepareStatements(database)
  const known = createFoundDeviceStore({ database })
  const keys = createDeviceKeyStore({ database })
  const moves = createTokenMoveStore({ database, labels, aliases, growth, update })
  const adoptions = createAdoptionStore({ database })
  const fcmPlatforms = createFcmPlatformStore({ database })
  const installations = createInstallationStore({ database })

  function create(application: number, input: Registration, token: PackedToken): Device {
    const now = clock.now()
    const { platform, lat = null, lng = null } = input
    const alias = input.alias || null
    const user = input.user || null
    const timezone = input.timezone || null
    const locale = input.locale || null
    const cell = cellAt({ lat, lng })
    const inserted = statements.insert.run(
      application,
      platform,
      token,
      alias,
      user,
      lat,
      lng,
      cell,
      timezone,
      locale,
      now,
      now,
      now,
    )
    const id = Number(inserted.lastInsertRowid)
    if (input.keys !== undefined) keys.set(id, input.keys)
    if (input.fcmPlatform !== undefined) fcmPlatforms.set(id, input.fcmPlatform)
    sizes.countDevices(application, 1)
    const [tag, active] = [namesOf(input.tag), namesOf(input.active)]
    labels.add(application, id, 'tag', tag)
    labels.add(application, id, 'type', active)
    return {
      id,
      token: unpackToken(token),
      platform,
      lat,
      lng,
      active,
      tag,
      alias,
      user,
      badge: 0,
      fcmPlatform: input.fcmPlatform ?? null,
      timezone,
      locale,
      registeredAt: now,
      updatedAt: now,
    }
  }

  function update(application: number, input: Registration, row: KnownRow, had: DeviceLabels): Device {
    const now = clock.now()
    const { lat = row.lat, lng = row.lng } = input
    const alias = input.alias === undefined ? row.alias : input.alias || null
    const user = input.user === undefined ? row.user : input.user || null
    const timezone = input.timezone === undefined ? row.timezone : input.timezone || null
    const locale = input.locale === undefined ? row.locale : input.locale || null
    known.touch(row, now)
    if (input.keys !== undefined) keys.set(row.id, input.keys)
    const { fcmPlatform = fcmPlatformOf(row.fcm_platform) } = input
    if (fcmPlatform !== null && FCM_PLATFORM[fcmPlatform] !== row.fcm_platform) fcmPlatforms.set(row.id, fcmPlatform)
    places.move(row.id, row, { lat, lng })
    if (alias !== row.alias) aliases.set(row.id, alias)
    if (user !== row.user) statements.setUser.run(user, row.id)
    if (row.imported === 1) statements.claim.run(row.id)
    if (locale !== row.locale) statements.setLocale.run(locale, row.id)
    zones.move(row.id, row.timezone, timezone)
    const tag = input.tag === undefined ? had.tag : namesOf(input.tag, had.tag)
    const active = input.active === undefined ? had.active : namesOf(input.active, had.active)
    labels.replace(application, row.id, 'tag', { had: had.tag, wanted: tag })
    labels.replace(application, row.id, 'type', { had: had.active, wanted: active })
    return {
      id: row.id,
      token: canonicalToken(row.platform, input.token),
      platform: row.platform,
      lat,
      lng,
      active,
      tag,
      alias,
      user,
      badge: row.badge,
      fcmPlatform,
      timezone,
      locale,
      registeredAt: row.registered_at,
      updatedAt: now,
    }
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
    const found = known.lookUp(application, asked.platform, token)
    const replaced = moves.replacedBy(application, asked)
    if (replaced !== null) return moves.goOn(application, asked, found, replaced, rights, bounds)
    const twin = found.kept === null ? installations.twinOf(application, asked) : null
    if (twin !== null) return goOnAs(twin, application, asked, found, rights, bounds)
    // An imported device comes along with its alias: it is the user's, who is proven where proofs are asked for.
    const imported = rights.adopts === true ? adoptions.find(application, asked, token, found) : null
    if (imported !== null) {
      const outcome = moves.goOn(application, asked, found, imported, { ...rights, bringsNames: true }, bounds)
      if (!('device' in outcome)) return outcome
      adoptions.note(application, imported, clock.now())
      return { ...outcome, adopted: true }
    }
    const { kind, kept, gone } = found
    const had = kept === null ? NO_LABELS : labels.find(kept.id)
    // A device that was gone takes no more room than it did.
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
    // What it has already is its own: nobody else can have it, and most launches of an app say just that.
    const isKept = kept !== null && kept.alias === asked.alias
    const isFree =
      !asked.alias || isKept || aliases.claim(application, asked.alias, kept?.id ?? null, rights.takesAlias ?? false)
    // An alias is worth less than the device: without it a reinstalled app would never get a push again. What alias it
    // had goes all the same: it says that it is another's now, and what is meant for that one is not for it.
    const input = withoutLeftOut(isFree ? asked : { ...asked, alias: '' }, leftOut)
    if (kept === null && gone !== null) known.erase(gone.id)
    const device = kept === null ? create(application, input, token) : update(application, input, kept, had)
    return { kind, device, aliasTaken: !isFree, leftOut }
  }

  /** The same installation under its other address. A name that the caller may not have does not come along. */
  function goOnAs(
    twin: DeviceRow,
    application: number,
    asked: Registration,
    found: FoundRow,
    rights: RegistrationRights,
    bounds: GrowthBoundsOfCall,
  ): Registered | Unproven | Shortage {
    const outcome = moves.goOn(application, asked, found, twin, rights, bounds)
    if (outcome.kind !== 'unproven') return outcome
    return goOnAs(twin, application, { ...asked, [outcome.field]: '' }, found, rights, bounds)
  }

  return {
    register,

    /**
     * Erases the device and its labels. What gateways said of its token stays, and so do deliveries that are to be
     * tried again: they carry no more than its id, find nobody, and are counted.
     */
    unregister(application: number, platform: Platform, token: string): void {
      const { kept, gone } = known.lookUp(application, platform, packToken(token, platform))
      const row = kept ?? gone
      if (row !== null) known.erase(row.id)
    },
  }
}

const NO_LABELS: DeviceLabels = { tag: [], active: [] }

function prepareStatements(database: Pick<Database, 'statement'>) {
  type Text = string | null
  type Degrees = number | null
  return {
    insert: database.statement<
      never,
      [
        number,
        number,
        PackedToken,
        Text,
        Text,
        Degrees,
        Degrees,
        cell: number | null,
        Text,
        Text,
        number,
        number,
        number,
      ]
    >(
      `INSERT INTO device
         (application, platform, token, alias, user, lat, lng, cell, timezone, locale, registered_at, seen_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    setUser: database.statement<never, [user: Text, device: number]>('UPDATE device SET user = ? WHERE id = ?'),
    setLocale: database.statement<never, [locale: Text, device: number]>('UPDATE device SET locale = ? WHERE id = ?'),
    claim: database.statement<never, [device: number]>('UPDATE device SET imported = 0 WHERE id = ?'),
  }
}
