import { pick } from '../../support/chance.ts'
import { ANSWERS, DELIVERED } from './answer-tables.ts'
import type { Answered, Gateway, Says } from './answer-tables.ts'
import type { TransportAnswer } from '../../../src/gateway/transport/transport.ts'

/** A gateway's reaction to a notification, and what the sender hears. */
export interface Reply {
  readonly says: Says
  /** Whether the phone gets it. */
  readonly taken: boolean
  readonly answer: TransportAnswer
  /** In ms. */
  readonly afterMs: number
  /** When the phone became gone, in ms since the Unix epoch; `null`: not gone, or not told. */
  readonly since: number | null
  /** Retry-After in ms; `null`: none. */
  readonly restMs: number | null
}

export const LOST: Reply = {
  says: 'lost',
  taken: false,
  answer: { kind: 'failed', reason: 'lost on the way', sent: 'unknown' },
  afterMs: 0,
  since: null,
  restMs: null,
}

/** How a gateway treats everybody. */
export type Weather = 'fair' | 'calm' | 'rough' | 'away' | 'refusing' | 'busy' | 'silent' | 'slow' | 'expired'

/** Drawn by chance. Scenes use the others too. */
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

const BREAKS = [
  ['ECONNRESET', 'unknown'],
  ['HTTP2GoAway', 'unknown'],
  ['HTTP2GoAway', 'no'],
  ['HTTP2RefusedStream', 'no'],
  ['HTTP2StreamReset', 'unknown'],
  ['ECONNREFUSED', 'no'],
] as const

/** `sandbox`: only that environment of APNs takes the token. */
export interface TokenFate {
  readonly state: 'alive' | 'gone' | 'bad' | 'sandbox'
  /** Of `gone`, in ms since the Unix epoch. */
  readonly since: number
}

interface Situation {
  readonly gateway: Gateway
  readonly environment: 'production' | 'sandbox' | null
  readonly weather: Weather
  readonly token: TokenFate
  /** The sender's timeout in ms. */
  readonly deadlineMs: number
  /** In [0, 1), the same for the same words about this request. */
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
      return dice < 0.1 ? ofToken(situation) : answered(situation, pick(ANSWERS[gateway].all, chance('all')))
    case 'busy':
      return answered(situation, ANSWERS[gateway].busy)
    case 'expired':
      return answered(situation, ANSWERS[gateway].expired)
    case 'silent':
      return dice < 0.3 ? ofToken(situation) : silence(situation)
  }
}

function trouble(situation: Situation): Reply {
  const dice = situation.chance('trouble')
  if (dice < 0.06) return silence(situation)
  if (dice < 0.35) return broken(situation, pick(BREAKS, situation.chance('break')))
  return answered(situation, pick(ANSWERS[situation.gateway].one, situation.chance('one')))
}

/** The answer of a healthy gateway. */
function ofToken(situation: Situation): Reply {
  const { gateway, token, environment, chance } = situation
  const { taken, gone, badToken } = ANSWERS[gateway]
  if (token.state === 'gone') return answered(situation, pick(gone, chance('gone')))
  const isStranger = token.state === 'bad' || (token.state === 'sandbox' && environment === 'production')
  return answered(situation, isStranger ? pick(badToken, chance('bad')) : pick(taken, chance('taken')))
}

function answered(situation: Situation, [status, reason, says]: Answered): Reply {
  const { gateway, chance, token } = situation
  const dice = chance('rest')
  const mayAsk = status === 429 || status === 503 || status === 406
  const restMs = mayAsk && dice < 0.5 ? (1 + Math.floor(dice * 60)) * 1000 : null
  const headers: Record<string, string> = {
    ...(restMs !== null && { 'retry-after': String(restMs / 1000) }),
    ...(reason === 'page' && { 'content-type': 'text/html' }),
    ...(WNS.has(reason) && { 'x-wns-notificationstatus': reason }),
    ...(reason === 'with a location' && { location: 'https://zero.push.test/message/1' }),
  }
  return {
    says,
    taken: says === 'accepted' || (reason === DELIVERED && token.state === 'alive'),
    answer: {
      kind: 'answer',
      status,
      header: (name) => headers[name] ?? null,
      body: bodyOf(situation, [status, reason, says]),
    },
    afterMs: latencyMs(situation),
    since: says === 'gone' && gateway === 'apns' ? sinceOf(token) : null,
    restMs,
  }
}

/** Values of Microsoft's header. */
const WNS: ReadonlySet<string> = new Set(['received', 'dropped', 'channelThrottled'])

function bodyOf({ gateway, token }: Situation, [status, reason, says]: Answered): string {
  switch (gateway) {
    case 'apns':
      return apnsBody(status, reason, sinceOf(token))
    case 'fcm':
      return fcmBody(status, reason, says)
    case 'webpush':
      return reason
  }
}

/** Long ago for a present phone. */
function sinceOf({ state, since }: TokenFate): number {
  return state === 'gone' ? since : 1
}

function apnsBody(status: number, reason: string, since: number): string {
  if (status === 200) return ''
  return JSON.stringify({ reason, ...(status === 410 && { timestamp: since }) })
}

function fcmBody(status: number, said: string, says: Says): string {
  if (status === 200) return '{"name":"projects/x/messages/1"}'
  if (said === 'NOTHING') return ''
  if (said === 'NOT_OF_GOOGLE') return '<!DOCTYPE html>'
  if (said === 'NO_DETAILS') return JSON.stringify({ error: { code: status, status: 'NOT_FOUND', message: said } })
  const [code = '', apns] = (said === DELIVERED ? 'UNAVAILABLE' : said).split('/')
  const details: object[] = [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: code }]
  if (apns !== undefined) {
    const [statusCode, reason] = apns.split(' ')
    details.push({
      '@type': 'type.googleapis.com/google.firebase.fcm.v1.ApnsError',
      statusCode: Number(statusCode),
      reason,
    })
  } else if (says === 'bad-token') {
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

/** Mostly a round trip, sometimes seconds. */
function latencyMs({ chance, weather }: Situation): number {
  const dice = chance('latency')
  if (weather === 'slow') return 1500 + dice * 450
  if (weather !== 'fair' && dice > 0.95) return 500 + (dice - 0.95) * 100_000
  return 1 + dice * 80
}
