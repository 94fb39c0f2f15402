import type { DeviceChangesStore } from '../../device/device-changes-store.ts'
import { PLATFORMS } from '../../platform.ts'
import { tokenPart } from '../../text/format.ts'
import { MAX_AT_ONCE } from './tail-event.ts'
import type { TailEvent } from './tail-event.ts'

/** It is committed a moment after its time was taken. */
const LOOK_BACK_MS = 5000

const MAX_DEPARTED = 5000

/** `application.number` */
export function createDeviceTail({ watch, applications }: Dependencies) {
  let highest = watch.highest()
  /** By application: reported unregistrations of the last seconds. */
  const known = new Map<number, { until: number; readonly told: Map<string, number> }>()
  for (const application of applications()) departed(application)

  function departed(application: number) {
    const state = known.get(application) ?? { until: watch.lastDeparture(application), told: new Map<string, number>() }
    const isFirst = !known.has(application)
    known.set(application, state)
    const rows = watch.departed(application, Math.max(state.until - LOOK_BACK_MS, 0), MAX_DEPARTED)
    const fresh = rows.filter(({ platform, token, at }) => state.told.get(`${platform}/${token}`) !== at)
    for (const { platform, token, at } of fresh) state.told.set(`${platform}/${token}`, at)
    state.until = Math.max(state.until, rows.at(-1)?.at ?? 0)
    for (const [token, at] of state.told) if (at < state.until - LOOK_BACK_MS) state.told.delete(token)
    return isFirst ? [] : fresh
  }

  function* registered(now: number): Generator<TailEvent> {
    const upTo = watch.highest()
    if (upTo <= highest) return
    for (const application of applications()) {
      const few = PLATFORMS.flatMap((platform) => watch.since(application, platform, highest, upTo, MAX_AT_ONCE + 1))
      if (few.length <= MAX_AT_ONCE) {
        for (const { at, token, platform } of few) {
          yield { at, application, type: 'device.registered', token: tokenPart(token), platform }
        }
        continue
      }
      const counts = PLATFORMS.map((platform) => watch.countSince(application, platform, highest, upTo))
      yield { at: now, application, type: 'devices.registered', count: counts.reduce((sum, count) => sum + count, 0) }
    }
    highest = upTo
  }

  return {
    *look(now: number): Generator<TailEvent> {
      yield* registered(now)
      for (const application of applications()) {
        const left = departed(application)
        if (left.length > MAX_AT_ONCE) {
          yield { at: now, application, type: 'devices.gone', count: left.length }
          continue
        }
        for (const { at, token, platform, reason, quarantined } of left) {
          const type = quarantined ? 'device.quarantined' : 'device.gone'
          yield { at, application, type, token: tokenPart(token), platform, reason }
        }
      }
    },
  }
}

interface Dependencies {
  readonly watch: DeviceChangesStore
  readonly applications: () => readonly number[]
}
