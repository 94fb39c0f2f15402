import type { DeviceStateCount, FoundApplication } from '../database/inspection-store.ts'
import { ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'
import { counted } from '../quantity.ts'

/** Whether pushes have somewhere to go. `providers`: those with a credential. */
export function judgeCredentials(
  { id, simulated }: Pick<FoundApplication, 'id' | 'simulated'>,
  providers: readonly ('apns' | 'fcm')[],
  devices: readonly DeviceStateCount[],
): Finding {
  const count = (platform: 0 | 1): number =>
    devices.reduce((sum, each) => sum + (each.platform === platform ? each.registered : 0), 0)
  if (simulated) {
    if (providers.length === 0) return ok('It sends to the built-in simulator, where no phone is reached.')
    return warning(
      'It has credentials, but sends to the built-in simulator: no phone is reached.',
      `If that is not meant: bellhop app simulate ${id} --off.`,
    )
  }
  const lacking = [
    ...(providers.includes('apns') || count(0) === 0
      ? []
      : [`${counted(count(0), 'iOS device')} and no APNs credential`]),
    ...(providers.includes('fcm') || count(1) === 0
      ? []
      : [`${counted(count(1), 'Android device')} and no FCM credential`]),
  ]
  const store = `Store one: bellhop app apns ${id}, bellhop app fcm ${id}; or try it without: bellhop app simulate ${id}.`
  if (lacking.length > 0) return warning(`It has ${lacking.join(', and ')}: pushes to them wait.`, store)
  if (providers.length === 0) return warning('It has no credential: pushes have nowhere to go.', store)
  const names = { apns: 'APNs', fcm: 'FCM' }
  return ok(`It has a credential for ${providers.map((provider) => names[provider]).join(' and ')}.`)
}
