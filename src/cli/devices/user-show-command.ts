import { createDeviceSearch } from '../../device/device-search-store.ts'
import { PLATFORMS } from '../../platform.ts'
import { problem } from '../../failure.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { done } from '../command.ts'
import type { RunOnApplication } from '../command.ts'
import { styleOf } from '../terminal/style.ts'
import { deviceJson, devicesText } from './devices-text.ts'

const MAX_DEVICES = 10_000

export const run: RunOnApplication = async ({ words: [, user = ''], flags }, world) => {
  const { number } = world.application
  const search = createDeviceSearch(world)
  const devices = search.byUser(number, user, MAX_DEVICES)
  if (devices.length === 0) return problem('No device of this application has this user.')
  if (flags.has('json')) return done(devices.map((one) => jsonLine(deviceJson(one))).join(''))
  const counts = search.counts(number, PLATFORMS)
  const query = { state: null, tags: null, platforms: PLATFORMS }
  const view = { devices, more: false, total: null, counts, next: null, query, full: true, now: world.clock.now() }
  return done(devicesText(view, styleOf(world)))
}
