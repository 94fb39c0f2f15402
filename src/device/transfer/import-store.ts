import { PLAIN, plainAfter, plainOf } from '../columns.ts'
import { ENVIRONMENT, STATE } from '../device-row.ts'
import type { DeviceRow } from '../device-row.ts'
import { packToken } from '../device.ts'
import { NO_LABELS } from '../index/label-index.ts'
import { createRegistry } from '../registry-store.ts'
import type { RegistryData } from '../registry-store.ts'
import type { ImportedDevice, ImportedFeedback, Left } from './imported-device.ts'

export interface ImportOutcome {
  readonly kind: 'imported' | 'updated' | 'unchanged' | 'kept'
  /** The device came without its alias, which another one has. */
  readonly aliasTaken: boolean
}

/**
 * Imports devices by the rules of PUT /deviceToken, plus times, badge and state. A second import changes nothing.
 * `kept`: after the list was made, the device registered here or a gateway reported it; or another token replaced it.
 * `replace` prefers the list to the device, but not to the gateway.  `seen_at` is 0 if the last registration is
 * unknown: Apple reports a token that died before the import with an earlier time, which must count.
 */
export function createImportStore({ database, clock }: RegistryData) {
  const registry = createRegistry({ database, clock })
  const { labels, aliases, columns, keys, lookup, adoptions, feedback } = registry
  // Names no indexed column.
  const write = database.statement<never, [badge: number, number | null, number, number, number, device: number]>(
    'UPDATE device SET badge = ?, environment = ?, registered_at = ?, seen_at = ?, updated_at = ? WHERE id = ?',
  )
  const otherOf = database.statement<{ id: number }, [application: number, user: string, device: number]>(
    `SELECT id FROM device WHERE application = ? AND user = ? AND id <> ? AND state <> ${STATE.gone} LIMIT 1`,
  )
  const dropAlias = database.statement<never, [application: number, alias: string, user: string]>(
    'UPDATE device SET alias = NULL WHERE application = ? AND alias = ? AND user = ?',
  )
  const setState = database.statement<never, [number, device: number]>('UPDATE device SET state = ? WHERE id = ?')
  // `eraseLeft` counts from `updated_at`.
  const markLeft = database.statement<never, [state: number, at: number, device: number]>(
    'UPDATE device SET state = ?, updated_at = max(updated_at, ?) WHERE id = ?',
  )

  /** Drops an alias that would name one of several devices; the other device loses it too. */
  function withoutSharedAlias(application: number, asked: ImportedDevice, known: DeviceRow | null): ImportedDevice {
    const { user, aliasIsUser = false } = asked
    if (!aliasIsUser || !user || otherOf.get(application, user, known?.id ?? 0) === null) return asked
    dropAlias.run(application, user, user)
    return { ...asked, alias: known?.alias === user ? null : undefined }
  }

  function create(application: number, asked: ImportedDevice): ImportOutcome {
    const device = withoutSharedAlias(application, asked, null)
    const { platform, lat = null, lng = null, left, adopted, imported } = device
    const now = clock.now()
    const token = packToken(device.token, platform)
    const isGone = left?.state === 'gone'
    const alias = isGone ? null : device.alias || null
    const aliasTaken = alias !== null && !aliases.claim(application, alias, null, false)
    const id = columns.insert(
      {
        application,
        platform,
        state: STATE[left?.state ?? 'registered'],
        environment: environmentIn(device),
        token,
        alias: aliasTaken ? null : alias,
        lat,
        lng,
        badge: device.badge ?? 0,
        registered_at: device.registeredAt ?? now,
        seen_at: device.seenAt ?? 0,
        updated_at: device.updatedAt ?? now,
        imported: imported === undefined ? null : imported ? 1 : 0,
      },
      plainAfter(device),
    )
    if (device.keys !== undefined) keys.set(id, device.keys)
    if (adopted !== undefined) {
      adoptions.note(application, { id, platform, token: packToken(adopted.token, platform) }, adopted.at)
    }
    registry.sizes.countDevices(application, 1)
    if (left !== undefined) feedback.note([application, platform, token], left)
    const { tag = [], active = [] } = device
    if (!isGone) labels.replace(application, id, NO_LABELS, { tag, active })
    return { kind: 'imported', aliasTaken }
  }

  /** Whatever its state. */
  function update(application: number, row: DeviceRow, asked: ImportedDevice): ImportOutcome {
    const device = withoutSharedAlias(application, asked, row)
    const alias = device.alias === undefined ? row.alias : device.alias || null
    const aliasTaken = alias !== null && alias !== row.alias && !aliases.claim(application, alias, row.id, false)
    const { lat = row.lat, lng = row.lng, badge = row.badge } = device
    const environment = device.environment === undefined ? row.environment : environmentIn(device)
    const registeredAt = Math.min(device.registeredAt ?? row.registered_at, row.registered_at)
    const seenAt = Math.max(device.seenAt ?? 0, row.seen_at)
    const had = labels.find(row.id)
    const { tag = had.tag, active = had.active } = device
    const plainBefore = plainOf(row)
    const plain = plainAfter(device, plainBefore)

    const isRenamed = alias !== row.alias && !aliasTaken
    const isRekeyed = device.keys !== undefined && keys.set(row.id, device.keys)
    const isSame =
      !isRekeyed &&
      !isRenamed &&
      lat === row.lat &&
      lng === row.lng &&
      PLAIN.every((name) => plain[name] === plainBefore[name]) &&
      badge === row.badge &&
      environment === row.environment &&
      registeredAt === row.registered_at &&
      seenAt === row.seen_at &&
      isSameList(tag, had.tag) &&
      isSameList(active, had.active)
    if (isSame) return { kind: 'unchanged', aliasTaken }

    const updatedAt = Math.max(device.updatedAt ?? clock.now(), row.updated_at)
    write.run(badge, environment, registeredAt, seenAt, updatedAt, row.id)
    columns.move(row.id, row, { lat, lng })
    if (isRenamed) aliases.set(row.id, alias)
    columns.change(row.id, plainBefore, plain)
    labels.replace(application, row.id, had, { tag, active })
    return { kind: 'updated', aliasTaken }
  }

  /** The gateway's feedback is newer. */
  function leave(application: number, row: DeviceRow, device: ImportedDevice, left: Left): ImportOutcome {
    if (left.state === 'quarantined') update(application, row, device)
    else registry.leftDevices.keep(row.id)
    markLeft.run(STATE[left.state], left.at, row.id)
    feedback.note([application, device.platform, packToken(device.token, device.platform)], left)
    return { kind: 'updated', aliasTaken: false }
  }

  return {
    put(application: number, device: ImportedDevice, { replace = false } = {}): ImportOutcome {
      labels.refresh()
      const { platform, left, seenAt = 0 } = device
      const token = packToken(device.token, device.platform)
      const row = lookup.byToken(application, platform, token)
      if (row === null) {
        const isReplaced = device.imported === true && adoptions.isAdopted(application, platform, token)
        // The app registered the other address.
        const isRegistered = lookup.twinOf(application, device)?.state === STATE.registered
        return isReplaced || isRegistered ? KEPT : create(application, device)
      }

      if (row.state === STATE.registered) {
        if (left !== undefined) return left.at >= row.seen_at ? leave(application, row, device, left) : KEPT
        return replace || seenAt >= row.seen_at ? update(application, row, device) : KEPT
      }
      const leftAt = feedback.saidAt(application, platform, token) ?? row.updated_at
      if (left !== undefined) {
        if (STATE[left.state] !== row.state) return left.at > leftAt ? leave(application, row, device, left) : KEPT
        if (left.at > leftAt) feedback.note([application, platform, token], left)
        return left.state === 'gone' ? UNCHANGED : update(application, row, device)
      }
      if (seenAt <= leftAt) return KEPT
      // From here on as PUT /deviceToken: a gone device comes back as a new one, a quarantined one unchanged.
      if (row.state === STATE.gone) {
        lookup.erase(row.id)
        return create(application, device)
      }
      setState.run(STATE.registered, row.id)
      return { ...update(application, row, { environment: null, ...device }), kind: 'updated' }
    },

    /** For a token without a device, or whose device registered again. The latest word stays. */
    putFeedback(application: number, { token, platform, ...said }: ImportedFeedback): ImportOutcome {
      const isNews = feedback.note([application, platform, packToken(token, platform)], said)
      return isNews ? { kind: 'imported', aliasTaken: false } : UNCHANGED
    },
  }
}

const KEPT: ImportOutcome = { kind: 'kept', aliasTaken: false }
const UNCHANGED: ImportOutcome = { kind: 'unchanged', aliasTaken: false }

function environmentIn({ environment }: ImportedDevice): DeviceRow['environment'] {
  return environment === undefined || environment === null ? null : ENVIRONMENT[environment]
}

function isSameList(wanted: readonly string[], had: readonly string[]): boolean {
  return wanted.length === had.length && wanted.every((name) => had.includes(name))
}
