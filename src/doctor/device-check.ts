import { ok, warning } from './finding.ts'
import type { Finding } from './finding.ts'
import type { DeviceCount } from './inspection-store.ts'
import { counted } from './quantity.ts'

/** Half of an audience that is not there any more is worth a word. */
const MANY = 0.5
const MIN_DEVICES = 100

/** The devices of one application: how many there are, and how many of them a push will hardly reach. */
export function judgeDevices(counts: readonly DeviceCount[]): Finding {
  const sum = (name: 'registered' | 'gone' | 'quarantined' | 'stale' | 'lost'): number =>
    counts.reduce((total, count) => total + count[name], 0)
  const registered = sum('registered')
  const [gone, quarantined, stale] = [sum('gone'), sum('quarantined'), sum('stale')]
  const lost = counts.reduce((total, { platform, lost }) => total + (platform === 1 ? lost : 0), 0)

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
  if (quarantined >= MIN_DEVICES && quarantined > registered * MANY) {
    return warning(
      found,
      'So many tokens that a gateway does not know are mostly of another app or environment: check topic, environment and project of the credential.',
    )
  }
  return ok(found)
}
