import { LIBRARIES } from '../../client/libraries.ts'
import { DAY_MS } from '../../clock.ts'
import { counted, isoTime } from '../../text/format.ts'
import type { ClientCount, DepartureHour, DeviceStateCount } from '../database/inspection-store.ts'
import { ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'
import { PLATFORM } from '../../platform.ts'

/** Share of an audience. */
const MANY = 0.5
const MIN_DEVICES = 100

/** More departures within an hour may be a gateway's mistake. */
const SUDDEN = 0.05
const MIN_SUDDEN = 20

export const RECENT_MS = 7 * DAY_MS

/** `worst`: the hour of the last days in which most devices left. */
export function judgeDevices(id: string, counts: readonly DeviceStateCount[], worst: DepartureHour | null): Finding {
  const sum = (name: 'registered' | 'gone' | 'quarantined' | 'stale' | 'lost'): number =>
    counts.reduce((total, count) => total + count[name], 0)
  const registered = sum('registered')
  const [gone, quarantined, stale] = [sum('gone'), sum('quarantined'), sum('stale')]
  const lost = counts.reduce(
    (total, { platform, lost }) => total + (PLATFORM[platform].provider === 'fcm' ? lost : 0),
    0,
  )

  const parts = [
    counted(registered, 'device'),
    ...(stale > 0 ? [`${counted(stale, 'of them', 'of them')} not seen for 90 days`] : []),
    ...(gone > 0 ? [counted(gone, 'gone', 'gone')] : []),
    ...(quarantined > 0 ? [counted(quarantined, 'quarantined', 'quarantined')] : []),
  ]
  const found = `${parts.join(', ')}.`
  if (lost > 0) {
    return warning(
      `${found.slice(0, -1)}; Google has given up ${counted(lost, 'Android device')} of them, not seen for 270 days.`,
      'Unregister them, or let the app register at each launch: pushes to them cost quota and reach nobody.',
    )
  }
  const all = registered + gone + quarantined
  if (worst !== null && worst.departed >= MIN_SUDDEN && worst.departed > all * SUDDEN) {
    const { departed, since, until, reason } = worst
    const [from, to] = [since, until].map((at) => isoTime(at))
    return warning(
      `${found.slice(0, -1)}; ${counted(departed, 'device')} left within an hour, from ${from} on, mostly for ${reason}.`,
      `If that was a mistake (the wrong topic, environment or project, or a gateway's error), fix it, then: bellhop devices restore ${id} --since ${from} --until ${to}.`,
    )
  }
  if (quarantined >= MIN_DEVICES && quarantined > registered * MANY) {
    return warning(
      found,
      "So many unknown tokens usually belong to another app or environment: check the credential's topic, environment and project.",
    )
  }
  return ok(found)
}

/** `web/1.2.0` */
const CLIENT = /^([a-z]+)\/(\d{1,4})\.(\d{1,3})\.\d/

const MAX_SHOWN = 5

/** Client libraries compared with this server's `release`. `null`: no device has reported one. */
export function judgeClients(id: string, counts: readonly ClientCount[], release: string): Finding | null {
  // A device can claim any client: only our own libraries may appear in a command to copy.
  const known = counts.flatMap((count) => {
    const [, kind = '', major, minor] = CLIENT.exec(count.client) ?? []
    return Object.hasOwn(LIBRARIES, kind) ? [{ ...count, kind, version: versionOf(major, minor) }] : []
  })
  if (known.length === 0) return null
  const shown = known.slice(0, MAX_SHOWN).map((one) => `${one.client} on ${counted(one.devices, 'device')}`)
  const more = known.length > MAX_SHOWN ? [`${known.length - MAX_SHOWN} more`] : []
  const found = `Client libraries: ${[...shown, ...more].join(', ')}.`
  const [major, minor] = release.split('.')
  const own = versionOf(major, minor)
  if (known.some(({ version }) => version > own)) return warning(found, `Upgrade this server: it is ${release}.`)
  const older = known.filter(({ version }) => version < own)
  if (older.length === 0) return ok(found)
  const kinds = [...new Set(older.map(({ kind }) => kind))]
  const devices = older.reduce((sum, one) => sum + one.devices, 0)
  const commands = kinds.map((kind) => `bellhop client ${kind} ${id} --url … --force`).join(', ')
  return warning(
    found,
    `${counted(devices, 'device')} ${devices === 1 ? 'has' : 'have'} one that is older than this server, ${release}. Renew it in the app: ${commands}.`,
  )
}

/** Patch versions are compatible. */
function versionOf(major = '0', minor = '0'): number {
  return Number(major) * 1000 + Number(minor)
}
