import { PLAIN, PLAIN_FACTS } from '../../device/columns.ts'
import type { PlainValues } from '../../device/columns.ts'
import { platformOnWire } from '../../device/device-record.ts'
import type { DeviceSearch, FoundDevice } from '../../device/device-search-store.ts'
import type { Platform } from '../../device/device.ts'
import type { NewestDevices, NewestQuery } from '../../device/newest-device-store.ts'
import type { ExplainStore } from '../../push/explain/explain-store.ts'
import { explain } from '../../push/explain/explain.ts'
import type { PushSummaryStore } from '../../push/status/push-summary-store.ts'
import type { StatusStore } from '../../push/status/status-store.ts'
import { isoOrNull, isoTime } from '../../text/format.ts'
import type { DeviceAnswer, DevicesAnswer, DeviceView, UserAnswer } from '../api-types/device-types.ts'

const LAST_PUSHES = 20

/** Of a user. Each is explained for each push. */
const MAX_DEVICES = 50
const EXPLAINED_DEVICES = 10

const NOT_FOR_IT: ReadonlySet<string> = new Set(['excluded', 'registered_later', 'not_registered'])

interface Dependencies {
  readonly search: DeviceSearch
  readonly newest: NewestDevices
  readonly statuses: Pick<StatusStore, 'list'>
  readonly summaries: Pick<PushSummaryStore, 'textOf'>
  readonly explanations: ExplainStore
  readonly pauseOf: (application: number, platform: Platform) => string | null
}

export type DevicesView = ReturnType<typeof createDevicesView>

/** `application` is `application.number`. */
export function createDevicesView({ search, newest, statuses, summaries, explanations, pauseOf }: Dependencies) {
  function lastPushes(application: number, { token, platform }: FoundDevice): DeviceAnswer['pushes'] {
    return statuses.list(application, Number.MAX_SAFE_INTEGER, LAST_PUSHES).flatMap((push) => {
      const found = explanations.find(application, push.id, token, platform)
      if (found === null) return []
      const {
        verdict,
        explanation,
        reason = null,
        at = null,
      } = explain({
        ...found.facts,
        pause: pauseOf(application, platform),
      })
      if (NOT_FOR_IT.has(verdict)) return []
      const title = summaries.textOf(push.number)?.title ?? null
      const createdAt = isoTime(push.createdAt)
      return [{ push: push.id, title, createdAt, verdict, explanation, reason, at: isoOrNull(at) }]
    })
  }

  return {
    /** By `device.id`; `null`: not in the application. */
    one(application: number, id: number): DeviceAnswer | null {
      const device = search.byId(application, id)
      return device && { device: deviceViewOf(device), pushes: lastPushes(application, device) }
    },

    page(application: number, query: NewestQuery): DevicesAnswer {
      const { ids, next } = newest.page(application, query)
      const devices = ids.flatMap((id) => search.byId(application, id) ?? [])
      return { devices: devices.map(deviceViewOf), next }
    },

    /** `null`: unknown user. */
    ofUser(application: number, user: string): UserAnswer | null {
      const devices = search.byUser(application, user, MAX_DEVICES)
      if (devices.length === 0) return null
      const pushes = devices
        .slice(0, EXPLAINED_DEVICES)
        .flatMap((device) => lastPushes(application, device).map((push) => Object.assign(push, { device: device.id })))
        .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
      return { user, devices: devices.map(deviceViewOf), pushes }
    },
  }
}

export function deviceViewOf({ id, platform, registeredAt, seenAt, updatedAt, ...device }: FoundDevice): DeviceView {
  const { token, state, alias, user, tag, active, lat, lng, badge, fcm_platform } = device
  return {
    device: id,
    token,
    platform: platformOnWire(platform),
    state,
    alias,
    user,
    tag,
    active,
    lat,
    lng,
    badge,
    fcmPlatform: fcm_platform,
    facts: factsOf(device),
    registeredAt: isoTime(registeredAt),
    seenAt: isoTime(seenAt),
    updatedAt: isoTime(updatedAt),
  }
}

function factsOf(device: PlainValues): DeviceView['facts'] {
  return PLAIN.flatMap((name) => {
    const { label } = PLAIN_FACTS[name]
    return label === undefined ? [] : [{ name, label, value: device[name] }]
  })
}
