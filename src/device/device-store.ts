import { createDeviceList } from './device-list-store.ts'
import { MAX_LABELS } from './device-fields.ts'
import { DEVICE_COLUMNS, deviceOf, STATE } from './device-row.ts'
import type { DeviceRow } from './device-row.ts'
import { packToken } from './device.ts'
import type { Device, DeviceAddress, PackedToken, Platform } from './device.ts'
import { UNBOUNDED } from './growth.ts'
import type { GrowthBoundsOfCall, LeftOut, Shortage } from './growth.ts'
import type { AliasHolder } from './index/alias-index.ts'
import type { LabelKind } from './index/label-index.ts'
import type { DevicePlace } from './column-store.ts'
import { PLATFORMS } from '../platform.ts'
import { createReachabilityStore } from './reachability-store.ts'
import { createBatchStore } from './registration/batch-store.ts'
import { createRegistrationStore } from './registration/registration-store.ts'
import { createRegistry } from './registry-store.ts'
import type { RegistryData } from './registry-store.ts'

interface AliasChange {
  readonly platform: Platform
  readonly token?: string | undefined
  readonly current_alias?: string | undefined
  readonly alias: string
}

export type DeviceStore = ReturnType<typeof createDeviceStore>

/**
 * Synchronous; call its writes inside a transaction. Sees only registered devices, except to register and unregister.
 */
export function createDeviceStore({ database, clock }: RegistryData) {
  const registry = createRegistry({ database, clock })
  const { labels, aliases, columns, growth } = registry
  const WHERE_TOKEN = `WHERE application = ? AND token = ? AND platform = ? AND state = ${STATE.registered}`
  type Key = [application: number, token: PackedToken, platform: number]
  const idByToken = database.statement<{ id: number }, Key>(`SELECT id FROM device ${WHERE_TOKEN}`)
  const find = database.statement<DeviceRow, Key>(`SELECT ${DEVICE_COLUMNS} FROM device ${WHERE_TOKEN}`)
  const placeByToken = database.statement<DevicePlace & { id: number }, Key>(
    `SELECT id, lat, lng FROM device ${WHERE_TOKEN}`,
  )
  const touch = database.statement<never, [now: number, device: number]>(
    'UPDATE device SET updated_at = ? WHERE id = ?',
  )
  const setBadge = database.statement<never, [badge: number, device: number]>(
    'UPDATE device SET badge = ? WHERE id = ?',
  )

  function idOf(application: number, platform: Platform, token: string): number | null {
    return idByToken.get(application, packToken(token, platform), platform)?.id ?? null
  }

  /** Each id once. */
  function idsOf(application: number, platforms: readonly Platform[], tokens: readonly string[]): number[] {
    const ids = platforms.flatMap((platform) => tokens.map((token) => idOf(application, platform, token)))
    return [...new Set(ids.filter((id) => id !== null))]
  }

  function idAt(application: number, address: DeviceAddress): number | null {
    if ('token' in address) return idOf(application, address.platform, address.token)
    return onPlatform(aliases.holder(application, address.alias), address.platform)
  }

  function changed(device: number): 'ok' {
    touch.run(clock.now(), device)
    return 'ok'
  }

  return {
    ...createRegistrationStore(registry),
    ...createBatchStore(registry),
    ...createReachabilityStore(registry),
    ...createDeviceList({ database }),
    idOf,
    idsOf,

    sweepLabels: (after: number): number | null => labels.sweep(after),

    /** If several platforms hold the token: the device seen last. */
    find(application: number, token: string, platform?: Platform): Device | null {
      const platforms = platform === undefined ? PLATFORMS : [platform]
      const found = platforms.flatMap((one) => find.get(application, packToken(token, one), one) ?? [])
      const [row] = found.toSorted((a, b) => b.seen_at - a.seen_at)
      return row === undefined ? null : deviceOf(row, labels.find(row.id))
    },

    /**
     * `token` and `current_alias` must name the same device; one is enough. `alias` `''` removes it. `takesAlias`: it
     * may move here from another device.
     */
    setAlias(
      application: number,
      { platform, token, current_alias, alias }: AliasChange,
      takesAlias = false,
    ): 'ok' | 'no-device' | 'alias-taken' | 'mismatch' {
      const named: (number | null)[] = []
      if (token !== undefined) named.push(idOf(application, platform, token))
      if (current_alias !== undefined) named.push(onPlatform(aliases.holder(application, current_alias), platform))
      const [device = null, other = device] = named
      if (device === null || other === null) return 'no-device'
      if (device !== other) return 'mismatch'
      if (alias !== '' && !aliases.claim(application, alias, device, takesAlias)) return 'alias-taken'
      aliases.set(device, alias || null)
      return changed(device)
    },

    /** `token` and `alias` must name the same device; one is enough. Without `platform`: on any platform. */
    removeAlias(
      application: number,
      { platform, token, alias }: { platform?: Platform; token?: string; alias?: string },
    ): 'ok' | 'no-device' | 'mismatch' {
      const platforms = platform === undefined ? PLATFORMS : [platform]
      const byToken = token === undefined ? null : idsOf(application, platforms, [token])
      const holder = alias === undefined ? null : aliases.holder(application, alias)
      const byAlias = holder !== null && platforms.includes(holder.platform) ? [holder.id] : []
      const named = alias === undefined ? (byToken ?? []) : byAlias
      if (named.length === 0 || byToken?.length === 0) return 'no-device'
      if (byToken !== null && !named.every((device) => byToken.includes(device))) return 'mismatch'
      for (const device of named) {
        aliases.set(device, null)
        changed(device)
      }
      return 'ok'
    },

    /** `ok` also if the device has them. Beyond MAX_LABELS of a kind, adds none. */
    addLabels(
      application: number,
      address: DeviceAddress,
      kind: LabelKind,
      names: readonly string[],
      bounds: GrowthBoundsOfCall = UNBOUNDED,
    ): 'ok' | 'no-device' | 'too-many-labels' | LeftOut | Shortage {
      const device = idAt(application, address)
      if (device === null) return 'no-device'
      const had = labels.find(device)[kind === 'tag' ? 'tag' : 'active']
      const missing = names.filter((name) => !had.includes(name))
      if (missing.length === 0) return 'ok'
      if (had.length + missing.length > MAX_LABELS) return 'too-many-labels'
      const added = {
        isNew: false,
        bytes: 0,
        tag: kind === 'tag' ? missing : [],
        type: kind === 'type' ? missing : [],
      }
      const outcome = growth.admit(application, added, bounds)
      if (outcome.kind !== 'admitted') return outcome
      const { leftOut } = outcome
      const fitting = leftOut === undefined ? missing : missing.filter((name) => !leftOut[kind].includes(name))
      labels.add(application, device, kind, fitting)
      if (fitting.length > 0) changed(device)
      return leftOut ?? 'ok'
    },

    /** `ok` also if the device does not have them. */
    removeLabels(
      application: number,
      address: DeviceAddress,
      kind: LabelKind,
      names: readonly string[],
    ): 'ok' | 'no-device' {
      const device = idAt(application, address)
      if (device === null) return 'no-device'
      const had = labels.find(device)[kind === 'tag' ? 'tag' : 'active'].filter((name) => names.includes(name))
      if (had.length === 0) return 'ok'
      for (const name of had) labels.remove(application, device, kind, name)
      return changed(device)
    },

    setLocation(
      application: number,
      { platform, token, lat, lng }: { platform: Platform; token: string; lat: number; lng: number },
    ): 'ok' | 'no-device' {
      const row = placeByToken.get(application, packToken(token, platform), platform)
      if (row === null) return 'no-device'
      columns.move(row.id, row, { lat, lng })
      return changed(row.id)
    },

    /** Returns the `device.id`; `null`: no such device. */
    setBadge(
      application: number,
      { platform, token, badge }: { platform: Platform; token: string; badge: number },
    ): number | null {
      const device = idOf(application, platform, token)
      if (device === null) return null
      setBadge.run(badge, device)
      changed(device)
      return device
    },
  }
}

function onPlatform(holder: AliasHolder | null, platform: Platform): number | null {
  return holder?.platform === platform ? holder.id : null
}
