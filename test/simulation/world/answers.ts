import { pick } from '../../faults/stage/chance.ts'
import type { TransportAnswer } from '../../../src/gateway/transport/transport.ts'

/** What a gateway does with a notification, and what the sender hears of that. */
export interface Reply {
  /**
   * What the answer says. `retry`: not now, of the device, or of nobody in particular. `blocked`: of the credential, or of
   * everything. `lost`: nothing is heard.
   */
  readonly says: 'accepted' | 'gone' | 'bad-token' | 'mismatch' | 'bad-push' | 'retry' | 'blocked' | 'lost'
  /** Whether the phone gets it. */
  readonly taken: boolean
  readonly answer: TransportAnswer
  /** How long the gateway takes, in ms. */
  readonly afterMs: number
  /** Since when the phone is gone, ms since the Unix epoch; `null`: it is not, or nobody says. */
  readonly since: number | null
  /** What its Retry-After asks for, in ms; `null`: none. */
  readonly restMs: number | null
}

/** How a gateway is to everybody. */
export type Weather = 'fair' | 'calm' | 'rough' | 'away' | 'refusing' | 'busy' | 'silent' | 'slow'

/** Those that come by chance; slow ones are for scenes. */
export const WEATHERS: readonly Weather[] = [
  'fair',
  'calm',
  'calm',
  'rough',
  'rough',
  'away',
  'refusing',
  'busy',
  'silent',
]

type Says = Reply['says']
type Answered = readonly [status: number, reason: string, says: Says]

/** Of one notification, or its device: Apple's table of reasons. */
const APNS_ONE: readonly Answered[] = [
  [400, 'IdleTimeout', 'retry'],
  [400, 'BadCollapseId', 'bad-push'],
  [400, 'DeviceTokenNotForTopic', 'mismatch'],
  [403, 'ExpiredProviderToken', 'blocked'],
  [413, 'PayloadTooLarge', 'bad-push'],
  [429, 'TooManyRequests', 'retry'],
  [500, 'InternalServerError', 'retry'],
  [503, 'ServiceUnavailable', 'retry'],
  [503, 'Shutdown', 'retry'],
  [418, 'NotOfApple', 'bad-push'],
  [302, 'NotOfApple', 'retry'],
]

const APNS_ALL: readonly Answered[] = [
  [403, 'InvalidProviderToken', 'blocked'],
  [403, 'BadEnvironmentKeyIdInToken', 'blocked'],
  [400, 'TopicDisallowed', 'blocked'],
  [429, 'TooManyProviderTokenUpdates', 'blocked'],
]

/** The same of Google: a status, the FcmError, or `quota` of what, and the field that is at fault. */
const FCM_ONE: readonly Answered[] = [
  [400, 'INVALID_ARGUMENT', 'bad-push'],
  [401, 'THIRD_PARTY_AUTH_ERROR', 'retry'],
  [401, 'UNAUTHENTICATED', 'blocked'],
  [403, 'SENDER_ID_MISMATCH', 'mismatch'],
  [429, 'QUOTA_EXCEEDED', 'retry'],
  [500, 'INTERNAL', 'retry'],
  [502, 'NOT_OF_GOOGLE', 'retry'],
  [503, 'UNAVAILABLE', 'retry'],
]

const FCM_ALL: readonly Answered[] = [
  [403, 'PERMISSION_DENIED', 'blocked'],
  [404, 'NOT_FOUND', 'blocked'],
  [429, 'RATE_LIMIT_EXCEEDED', 'blocked'],
]

const BREAKS = [
  ['ECONNRESET', 'unknown'],
  ['HTTP2GoAway', 'unknown'],
  ['HTTP2GoAway', 'no'],
  ['HTTP2RefusedStream', 'no'],
  ['HTTP2StreamReset', 'unknown'],
  ['ECONNREFUSED', 'no'],
] as const

/** What is known of a phone's token: `sandbox`: only that environment of APNs takes it. */
export interface TokenFate {
  readonly state: 'alive' | 'gone' | 'bad' | 'sandbox'
  /** Since when it is gone, ms since the Unix epoch. */
  readonly since: number
}

interface Situation {
  readonly gateway: 'apns' | 'fcm'
  readonly environment: 'production' | 'sandbox' | null
  readonly weather: Weather
  readonly token: TokenFate
  /** Milliseconds after which the sender gives a request up. */
  readonly deadlineMs: number
  /** In [0, 1); the same for the same words about this request. */
  readonly chance: (...words: string[]) => number
}

export function replyTo(situation: Situation): Reply {
  const { gateway, weather, chance } = situation
  const dice = chance('fate')
  switch (weather) {
    case 'fair':
    case 'slow':
      return ofToken(situation)
    case 'calm':
      return dice < 0.97 ? ofToken(situation) : trouble(situation)
    case 'rough':
      return dice < 0.5 ? ofToken(situation) : trouble(situation)
    case 'away':
      return broken(situation, dice < 0.7 ? ['ECONNREFUSED', 'no'] : pick(BREAKS, chance('break')))
    case 'refusing':
      return dice < 0.1
        ? ofToken(situation)
        : answered(situation, pick(gateway === 'apns' ? APNS_ALL : FCM_ALL, chance('all')))
    case 'busy':
      return answered(
        situation,
        gateway === 'apns' ? [503, 'ServiceUnavailable', 'retry'] : [503, 'UNAVAILABLE', 'retry'],
      )
    case 'silent':
      return dice < 0.3 ? ofToken(situation) : silence(situation)
  }
}

function trouble(situation: Situation): Reply {
  const dice = situation.chance('trouble')
  if (dice < 0.06) return silence(situation)
  if (dice < 0.35) return broken(situation, pick(BREAKS, situation.chance('break')))
  return answered(situation, pick(situation.gateway === 'apns' ? APNS_ONE : FCM_ONE, situation.chance('one')))
}

/** What a gateway says that is well. */
function ofToken(situation: Situation): Reply {
  const { gateway, token, environment } = situation
  if (token.state === 'gone') {
    return answered(situation, gateway === 'apns' ? [410, 'Unregistered', 'gone'] : [404, 'UNREGISTERED', 'gone'])
  }
  const isStranger = token.state === 'bad' || (token.state === 'sandbox' && environment === 'production')
  if (isStranger) {
    return answered(
      situation,
      gateway === 'apns' ? [400, 'BadDeviceToken', 'bad-token'] : [400, 'INVALID_ARGUMENT', 'bad-token'],
    )
  }
  return answered(situation, [200, '', 'accepted'])
}

function answered(situation: Situation, [status, reason, says]: Answered): Reply {
  const { gateway, chance, token } = situation
  const dice = chance('rest')
  const restMs = (status === 429 || status === 503) && dice < 0.5 ? (1 + Math.floor(dice * 60)) * 1000 : null
  const body = gateway === 'apns' ? apnsBody(status, reason, token.since) : fcmBody(status, reason, says)
  const headers: Record<string, string> = restMs === null ? {} : { 'retry-after': String(restMs / 1000) }
  return {
    says,
    taken: says === 'accepted',
    answer: { kind: 'answer', status, header: (name) => headers[name] ?? null, body },
    afterMs: latencyMs(situation),
    since: says === 'gone' && gateway === 'apns' ? token.since : null,
    restMs,
  }
}

function apnsBody(status: number, reason: string, since: number): string {
  if (status === 200) return ''
  return JSON.stringify({ reason, ...(status === 410 && { timestamp: since }) })
}

function fcmBody(status: number, code: string, says: Says): string {
  if (status === 200) return '{"name":"projects/x/messages/1"}'
  const details: object[] = [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: code }]
  if (says === 'bad-token') {
    const fieldViolations = [{ field: 'message.token', description: 'Invalid registration token' }]
    details.push({ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations })
  }
  if (code === 'RATE_LIMIT_EXCEEDED')
    details.push({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code })
  return JSON.stringify({ error: { code: status, status: code, message: code, details } })
}

function broken(situation: Situation, [reason, sent]: readonly [string, 'no' | 'unknown']): Reply {
  const taken = sent === 'unknown' && situation.token.state === 'alive' && situation.chance('taken') < 0.5
  return {
    says: 'lost',
    taken,
    answer: { kind: 'failed', reason, sent },
    afterMs: latencyMs(situation),
    since: null,
    restMs: null,
  }
}

function silence(situation: Situation): Reply {
  const { token, chance, deadlineMs } = situation
  const taken = token.state === 'alive' && chance('taken') < 0.5
  return {
    says: 'lost',
    taken,
    answer: { kind: 'failed', reason: 'deadline', sent: 'unknown' },
    afterMs: deadlineMs,
    since: null,
    restMs: null,
  }
}

/** Mostly a round trip, now and then seconds. */
function latencyMs({ chance, weather }: Situation): number {
  const dice = chance('latency')
  if (weather === 'slow') return 1500 + dice * 450
  if (weather !== 'fair' && dice > 0.95) return 500 + (dice - 0.95) * 100_000
  return 1 + dice * 80
}
