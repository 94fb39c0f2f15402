import { forTokens } from '../gateways/plan.ts'
import type { PlannedReply } from '../gateways/plan.ts'
import { keyOf } from '../stage/ledger.ts'
import type { Fate, KnownDevice, Platform } from '../stage/ledger.ts'
import { reached } from '../stage/settled.ts'
import type { Stage } from '../stage/stage.ts'
import type { Scenario } from './scenario.ts'

/** Time limit for a broadcast before the next step, in ms. Later deliveries fail the row. */
const STEP_MS = 45_000

/** More than the service holds in memory: pushes to many, and to one. */
const BROADCASTS = 45
const SINGLES = 600
const BY_ALIAS = 20

const ALIAS = 'whose phone fails'

/** How a gateway answers every request for one device. */
interface Ailment {
  readonly apns: PlannedReply
  readonly fcm: PlannedReply
  readonly fate: Fate
  /** This many first devices of each platform, and as many from the middle. Default 1. */
  readonly devices?: number
  readonly promptMs?: number
}

const refuse = (as: Extract<PlannedReply, { kind: 'refuse' }>['as']): PlannedReply => ({ kind: 'refuse', as })

/** One device fails, or its gateway says so. All others must get everything without delay. */
export const DEVICE_SCENARIOS: readonly Scenario[] = [
  one('one-500', 'always 500', { apns: refuse(500), fcm: refuse(500), fate: 'waits' }),
  one('one-503', 'always 503', { apns: refuse(503), fcm: refuse(503), fate: 'waits' }),
  one('one-throttled', '429 of the device, at FCM without a QuotaFailure', {
    apns: refuse('throttled'),
    fcm: refuse('throttled'),
    fate: 'waits',
  }),
  one('one-third-party', '403, at FCM THIRD_PARTY_AUTH_ERROR', {
    apns: refuse(403),
    fcm: refuse('third party'),
    fate: 'waits',
  }),
  one('one-401', '401', { apns: refuse(401), fcm: refuse(401), fate: 'waits' }),
  one(
    'one-iphone-key',
    '403, at FCM what Apple says of the key in Firebase: THIRD_PARTY_AUTH_ERROR with ApnsError 403',
    {
      apns: refuse(403),
      fcm: refuse('iphone key'),
      fate: 'waits',
    },
  ),
  one('one-page', "500, at FCM a page of Google's front end with 400", {
    apns: refuse(500),
    fcm: refuse('page'),
    fate: 'waits',
  }),
  one('one-404', '404 in a page, at APNs 403', { apns: refuse(403), fcm: refuse(404), fate: 'waits' }),
  one('one-silent', 'never an answer', {
    apns: { kind: 'silence', taken: false },
    fcm: { kind: 'silence', taken: false },
    fate: 'waits',
    // The first request of a connection goes alone, with a deadline of 15 s.
    promptMs: 40_000,
  }),
  one('one-mismatch', 'DeviceTokenNotForTopic, at FCM SENDER_ID_MISMATCH', {
    apns: refuse('mismatch'),
    fcm: refuse('mismatch'),
    fate: 'leaves',
  }),
  one('one-iphone-gone', '410, at FCM 400 with ApnsError 410', {
    apns: refuse('gone'),
    fcm: refuse('iphone gone'),
    fate: 'leaves',
  }),
  one('ten-bad-tokens', 'ten of them: BadDeviceToken, at FCM INVALID_ARGUMENT of the token', {
    apns: refuse('bad token'),
    fcm: refuse('bad token'),
    fate: 'leaves',
    devices: 10,
    // Ten are enough to suspect an unproven credential, which then waits for 30 s.
    promptMs: 40_000,
  }),
]

/**
 * The first device and one in the middle fail: with an unproven credential, and with a proven one after a start. Then
 * more pushes wait for one of them than fit in memory, and others follow.
 */
function one(name: string, what: string, ailment: Ailment): Scenario {
  const { fate, devices = 1, promptMs = 10_000 } = ailment
  return {
    name,
    what: `one device, the first and in the middle: ${what}`,
    promptMs,
    async run(stage) {
      const ill = new Set<string>()
      const fallIll = (platform: Platform, from: number) => {
        const all = [...stage.ledger.devices.values()].filter((device) => device.platform === platform)
        const middle = Math.floor(all.length / 2)
        for (const device of [
          ...all.slice(from, from + devices),
          ...all.slice(middle + from, middle + from + devices),
        ]) {
          ill.add(device.token)
          stage.ledger.fates.set(keyOf(platform, device.token), fate)
        }
        return all[from]
      }
      stage.apns.plan = forTokens(ill, ailment.apns)
      stage.fcm.plan = forTokens(ill, ailment.fcm)

      const phones = ([0, 1] as const).map((platform) => fallIll(platform, 0))
      await stage.pushes.toAll()
      await reached(stage, STEP_MS)
      await stage.stop()
      // Devices that left would not be asked again.
      if (fate === 'leaves') for (const platform of [0, 1] as const) fallIll(platform, devices)
      await stage.start()
      await stage.pushes.toAll()
      await reached(stage, STEP_MS)
      if (fate === 'waits') for (const phone of phones) if (phone !== undefined) await crowdOf(stage, phone)
      return stage.apns.met + stage.fcm.met
    },
    patienceMs: STEP_MS,
  }
}

/** More pushes wait for one phone than there is room for. After each kind, one push waits for nobody. */
async function crowdOf({ pushes, api, ledger }: Stage, phone: KnownDevice): Promise<void> {
  const { platform, token } = phone
  await api.call('PUT', '/alias', { platform, token, alias: ALIAS + platform })
  phone.aliases = [ALIAS + platform]
  const healthy = [...ledger.devices.values()].find(
    (device) => device.platform === platform && !ledger.fates.has(keyOf(platform, device.token)),
  )
  for (let n = 0; n < BROADCASTS; n++) await pushes.toTag('few')
  for (let n = 0; n < BY_ALIAS; n++) await pushes.toAlias(ALIAS + platform)
  await pushes.toTag('few')
  await Promise.all(Array.from({ length: SINGLES }, () => pushes.toDevice(phone)))
  if (healthy !== undefined) await pushes.toDevice(healthy)
}
