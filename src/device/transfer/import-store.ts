import type { Database } from '../../database/database.ts'
import type { StoredRow, device } from '../../database/schema.ts'
import { createAdoptionStore } from '../registration/adoption-store.ts'
import { createInstallationStore } from '../registration/installation-store.ts'
import { DEVICE_COLUMNS, ENVIRONMENT, fcmPlatformOf, STATE } from '../device-row.ts'
import type { DeviceRow } from '../device-row.ts'
import { packToken } from '../device.ts'
import { createAliasIndex } from '../index/alias-index.ts'
import { createLabelIndexBeside } from '../index/label-index.ts'
import type { RegistryBeside } from '../index/label-index.ts'
import { cellAt, createPlaceIndex } from '../index/place-index.ts'
import { createZoneIndex } from '../index/zone-index.ts'
import { createLeftDeviceStore } from '../left-device-store.ts'
import { createRegistrySizeStore } from '../registry-size-store.ts'
import { createFcmPlatformStore } from '../fcm-platform-store.ts'
import { createDeviceKeyStore } from '../webpush/device-key-store.ts'
import type { ImportedDevice, ImportedFeedback, Left } from './imported-device.ts'
import { createImportedFeedback } from './imported-feedback-store.ts'

/** `kept`: newer data of the device, or of its gateway, count more than the import. */
export interface ImportOutcome {
  readonly kind: 'imported' | 'updated' | 'unchanged' | 'kept'
  /** Another device has the alias: this one came without it. */
  readonly aliasTaken: boolean
}

type Row = DeviceRow & Pick<StoredRow<typeof device>, 'environment' | 'seen_at'>

/**
 * Brings devices in by the rules of PUT /deviceToken, with what it cannot say: times, badge, state. To be called
 * inside a transaction. The same device again changes nothing.
 *
 * Who registered here after the list was made knows better than the list, and so does the gateway that declared a
 * token dead after it: `kept`. With `replace` the list is believed over a device, though not over a gateway.
 *
 * A device whose place another token of its user has taken since does not come again: `kept` too.
 *
 * A device of which nobody knows when it registered last is kept with 0, long ago: of a token that was dead before
 * the import, Apple says so with a time before it, which must count.
 */
export function createImportStore({ database, clock }: RegistryBeside) {
  const labels = createLabelIndexBeside({ database })
  const aliases = createAliasIndex({ database, clock })
  const places = createPlaceIndex({ database })
  const zones = createZoneIndex({ database, clock })
  const statements = prepareStatements(database)
  const feedback = createImportedFeedback({ database })
  const sizes = createRegistrySizeStore({ database })
  const leftDevices = createLeftDeviceStore({ database })
  const adoptions = createAdoptionStore({ database })
  const keys = createDeviceKeyStore({ database })
  const fcmPlatforms = createFcmPlatformStore({ database })
  const installations = createInstallationStore({ database })

  /** The import without an alias that would name one of several devices of a user; nor does the other keep it. */
  function withoutSharedAlias(application: number, asked: ImportedDevice, known: Row | null): ImportedDevice {
    const { user, aliasIsUser = false } = asked
    if (!aliasIsUser || !user || statements.otherOf.get(application, user, known?.id ?? 0) === null) return asked
    statements.dropAlias.run(application, user, user)
    return { ...asked, alias: known?.alias === user ? null : undefined }
  }

  function create(application: number, asked: ImportedDevice): ImportOutcome {
    const device = withoutSharedAlias(application, asked, null)
    const { platform, lat = null, lng = null, left } = device
    const now = clock.now()
    const token = packToken(device.token, device.platform)
    const isGone = left?.state === 'gone'
    const alias = isGone ? null : device.alias || null
    const aliasTaken = alias !== null && !aliases.claim(application, alias, null, false)
    const { lastInsertRowid } = statements.insert.run(
      application,
      platform,
      STATE[left?.state ?? 'registered'],
      environmentIn(device),
      token,
      aliasTaken ? null : alias,
      device.user || null,
      lat,
      lng,
      cellAt({ lat, lng }),
      device.badge ?? 0,
      device.timezone || null,
      device.locale || null,
      device.registeredAt ?? now,
      device.seenAt ?? 0,
      device.updatedAt ?? now,
      device.imported === undefined ? null : Number(device.imported),
    )
    const id = Number(lastInsertRowid)
    if (device.keys !== undefined) keys.set(id, device.keys)
    if (device.fcmPlatform !== undefined) fcmPlatforms.set(id, device.fcmPlatform)
    if (device.adopted !== undefined) {
      adoptions.note(application, { id, platform, token: packToken(device.adopted.token, platform) }, device.adopted.at)
    }
    sizes.countDevices(application, 1)
    if (left !== undefined) feedback.note([application, platform, token], left)
    if (!isGone) {
      labels.add(application, id, 'tag', device.tag ?? [])
      labels.add(application, id, 'type', device.active ?? [])
    }
    return { kind: 'imported', aliasTaken }
  }

  /** Overwrites the device with the import, whatever its state. */
  function update(application: number, row: Row, asked: ImportedDevice): ImportOutcome {
    const device = withoutSharedAlias(application, asked, row)
    const alias = device.alias === undefined ? row.alias : device.alias || null
    const aliasTaken = alias !== null && alias !== row.alias && !aliases.claim(application, alias, row.id, false)
    const user = device.user === undefined ? row.user : device.user || null
    const locale = device.locale === undefined ? row.locale : device.locale || null
    const { lat = row.lat, lng = row.lng, timezone = row.timezone, badge = row.badge } = device
    const environment = device.environment === undefined ? row.environment : environmentIn(device)
    const registeredAt = Math.min(device.registeredAt ?? row.registered_at, row.registered_at)
    const seenAt = Math.max(device.seenAt ?? 0, row.seen_at)
    const had = labels.find(row.id)
    const { tag = had.tag, active = had.active } = device

    const isMoved = lat !== row.lat || lng !== row.lng
    const isRenamed = alias !== row.alias && !aliasTaken
    const isRekeyed = device.keys !== undefined && keys.set(row.id, device.keys)
    const { fcmPlatform = fcmPlatformOf(row.fcm_platform) } = device
    const isSame =
      !isMoved &&
      !isRekeyed &&
      !isRenamed &&
      user === row.user &&
      locale === row.locale &&
      timezone === row.timezone &&
      badge === row.badge &&
      environment === row.environment &&
      fcmPlatform === fcmPlatformOf(row.fcm_platform) &&
      registeredAt === row.registered_at &&
      seenAt === row.seen_at &&
      isSameList(tag, had.tag) &&
      isSameList(active, had.active)
    if (isSame) return { kind: 'unchanged', aliasTaken }

    const updatedAt = Math.max(device.updatedAt ?? clock.now(), row.updated_at)
    statements.update.run(badge, environment, registeredAt, seenAt, updatedAt, row.id)
    if (fcmPlatform !== null) fcmPlatforms.set(row.id, fcmPlatform)
    if (isMoved) places.move(row.id, row, { lat, lng })
    if (isRenamed) aliases.set(row.id, alias)
    if (user !== row.user) statements.setUser.run(user, row.id)
    if (locale !== row.locale) statements.setLocale.run(locale, row.id)
    zones.move(row.id, row.timezone, timezone || null)
    labels.replace(application, row.id, 'tag', { had: had.tag, wanted: tag })
    labels.replace(application, row.id, 'type', { had: had.active, wanted: active })
    return { kind: 'updated', aliasTaken }
  }

  /** A gateway's word, newer than what the device has told. */
  function leave(application: number, row: Row, device: ImportedDevice, left: Left): ImportOutcome {
    if (left.state === 'quarantined') update(application, row, device)
    else leftDevices.keep(row.id)
    statements.leave.run(STATE[left.state], left.at, row.id)
    feedback.note([application, device.platform, packToken(device.token, device.platform)], left)
    return { kind: 'updated', aliasTaken: false }
  }

  /** Whether the installation is registered here by its other address, which the app has said itself. */
  function isRegisteredAnyway(application: number, device: ImportedDevice): boolean {
    return installations.twinOf(application, device)?.state === STATE.registered
  }

  return {
    put(application: number, device: ImportedDevice, { replace = false } = {}): ImportOutcome {
      labels.refresh()
      const { platform, left, seenAt = 0 } = device
      const token = packToken(device.token, device.platform)
      const row = statements.byToken.get(application, platform, token)
      if (row === null) {
        const isTwin = device.imported === true && adoptions.isAdopted(application, platform, token)
        return isTwin || isRegisteredAnyway(application, device) ? KEPT : create(application, device)
      }

      if (row.state === STATE.registered) {
        if (left !== undefined) return left.at >= row.seen_at ? leave(application, row, device, left) : KEPT
        return replace || seenAt >= row.seen_at ? update(application, row, device) : KEPT
      }
      const leftAt = feedback.spokenAt(application, platform, token) ?? row.updated_at
      if (left !== undefined) {
        if (STATE[left.state] !== row.state) return left.at > leftAt ? leave(application, row, device, left) : KEPT
        if (left.at > leftAt) feedback.note([application, platform, token], left)
        return left.state === 'gone' ? UNCHANGED : update(application, row, device)
      }
      if (seenAt <= leftAt) return KEPT
      // From here on as PUT /deviceToken: who is gone comes back as somebody new, who is in quarantine as before.
      if (row.state === STATE.gone) {
        statements.erase.run(row.id)
        return create(application, device)
      }
      statements.setState.run(STATE.registered, row.id)
      return { ...update(application, row, { environment: null, ...device }), kind: 'updated' }
    },

    /** What a gateway has said of a token that no device has, or that has come back since. The latest word stays. */
    putFeedback(application: number, { token, platform, ...said }: ImportedFeedback): ImportOutcome {
      const isNews = feedback.note([application, platform, packToken(token, platform)], said)
      return isNews ? { kind: 'imported', aliasTaken: false } : UNCHANGED
    },
  }
}

const KEPT: ImportOutcome = { kind: 'kept', aliasTaken: false }
const UNCHANGED: ImportOutcome = { kind: 'unchanged', aliasTaken: false }

function environmentIn({ environment }: ImportedDevice): number | null {
  return environment === undefined || environment === null ? null : ENVIRONMENT[environment]
}

function isSameList(wanted: readonly string[], had: readonly string[]): boolean {
  return wanted.length === had.length && wanted.every((name) => had.includes(name))
}

function prepareStatements(database: Pick<Database, 'statement'>) {
  type Token = string | Uint8Array
  type Text = string | null
  type Maybe = number | null
  return {
    byToken: database.statement<Row, [application: number, platform: number, Token]>(
      `SELECT ${DEVICE_COLUMNS}, environment, seen_at FROM device
       WHERE application = ? AND platform = ? AND token = ?`,
    ),
    insert: database.statement<
      never,
      [
        number,
        number,
        number,
        Maybe,
        Token,
        Text,
        Text,
        Maybe,
        Maybe,
        cell: Maybe,
        number,
        Text,
        Text,
        number,
        number,
        number,
        imported: Maybe,
      ]
    >(
      `INSERT INTO device (application, platform, state, environment, token, alias, user, lat, lng, cell, badge, timezone,
         locale, registered_at, seen_at, updated_at, imported)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    // What an index has is not named here, so that no index is rewritten.
    update: database.statement<never, [badge: number, Maybe, number, number, number, device: number]>(
      'UPDATE device SET badge = ?, environment = ?, registered_at = ?, seen_at = ?, updated_at = ? WHERE id = ?',
    ),
    otherOf: database.statement<{ id: number }, [application: number, user: string, device: number]>(
      `SELECT id FROM device WHERE application = ? AND user = ? AND id <> ? AND state <> ${STATE.gone} LIMIT 1`,
    ),
    dropAlias: database.statement<never, [application: number, alias: string, user: string]>(
      'UPDATE device SET alias = NULL WHERE application = ? AND alias = ? AND user = ?',
    ),
    setUser: database.statement<never, [user: Text, device: number]>('UPDATE device SET user = ? WHERE id = ?'),
    setLocale: database.statement<never, [locale: Text, device: number]>('UPDATE device SET locale = ? WHERE id = ?'),
    setState: database.statement<never, [number, device: number]>('UPDATE device SET state = ? WHERE id = ?'),
    // What has left is kept for a time from then on: `eraseLeft`.
    leave: database.statement<never, [state: number, at: number, device: number]>(
      'UPDATE device SET state = ?, updated_at = max(updated_at, ?) WHERE id = ?',
    ),
    erase: database.statement<never, [device: number]>('DELETE FROM device WHERE id = ?'),
  }
}
