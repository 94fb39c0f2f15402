import type { Behind, Gateway } from '../gateways/gateway.ts'
import { chance } from '../../support/chance.ts'
import { within } from '../../support/until.ts'
import { always, someFirst } from '../gateways/plan.ts'
import type { PlannedReply } from '../gateways/plan.ts'
import { reached } from '../stage/settled.ts'
import type { Stage } from '../stage/stage.ts'
import type { Scenario } from './scenario.ts'

/** RFC 9113, 7. */
const ERROR_CODES = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
] as const
const INTERNAL_ERROR = 2
const ENHANCE_YOUR_CALM = 11

/** Duration of the usual traffic, in ms. */
const TRAFFIC_MS = 2_000

/** Time limit for delivery, in ms. */
const SENT_MS = 60_000

/** Time limit for the service to meet a changed gateway, in ms. */
const MEET_MS = 20_000

/** Longer than `DEADLINE_MS` of src/gateway/transport/transport.ts and its tolerance, in ms. */
const AFTER_DEADLINE_MS = 18_000

export const GATEWAY_SCENARIOS: readonly Scenario[] = [
  some('goaway', 'GOAWAY without error; what is open is answered', 0.02, () => ({ kind: 'farewell', half: false })),
  some('goaway-half', 'GOAWAY without error; half of what is open was not processed', 0.02, () => ({
    kind: 'farewell',
    half: true,
  })),
  some('goaway-error', 'GOAWAY with ENHANCE_YOUR_CALM or INTERNAL_ERROR; nothing is answered', 0.003, (coin) => ({
    kind: 'goaway',
    code: coin < 0.5 ? ENHANCE_YOUR_CALM : INTERNAL_ERROR,
    taken: coin < 0.25 || coin > 0.75,
  })),
  ...ERROR_CODES.map((name, code) =>
    some(`reset-${code}`, `RST_STREAM ${name}`, 0.1, (coin) => ({ kind: 'reset', code, taken: coin < 0.5 })),
  ),
  some('cut', 'the connection is dropped in the middle of an answer, or before it', 0.005, (coin) => ({
    kind: 'cut',
    midAnswer: coin < 0.5,
    taken: coin < 0.25 || coin > 0.75,
  })),
  some('noise', 'bytes that are no HTTP/2', 0.003, (coin) => ({ kind: 'noise', taken: coin < 0.5 })),
  some('silence', 'taken or not, and never answered', 0.02, (coin) => ({ kind: 'silence', taken: coin < 0.5 })),
  some('late', 'answered after the deadline', 0.02, () => ({ kind: 'accept', afterMs: AFTER_DEADLINE_MS })),
  some('garbage', '200 with a page in place of an answer', 0.02, (coin) => ({ kind: 'garble', taken: coin < 0.5 })),
  some('late-end', 'content-length, and the end of the stream later', 0.1, () => ({ kind: 'accept', lateEnd: true })),
  {
    name: 'early',
    what: 'answered before the body is read',
    async run(stage) {
      both(stage, (gateway) => (gateway.early = true))
      await stage.pushes.mixture(TRAFFIC_MS)
      both(stage, (gateway) => (gateway.early = false))
      return stage.apns.arrivals.length + stage.fcm.arrivals.length
    },
  },
  {
    name: 'fewer-streams',
    what: 'MAX_CONCURRENT_STREAMS lowered to 3, and to 1, in flight, and raised again',
    async run(stage) {
      const sent = stage.pushes.mixture(TRAFFIC_MS)
      const changes = [3, null, 1, null]
      for (const streams of changes) {
        await Bun.sleep(TRAFFIC_MS / (changes.length + 1))
        both(stage, (gateway) => gateway.limitStreams(streams))
      }
      await sent
      return changes.length
    },
  },
  behind('tls-closed', 'connections closed before TLS, for 2 s', 'close'),
  behind('tls-refused', 'plain text in place of TLS, for 2 s', 'plain'),
  behind('http1', 'only HTTP/1.1, for 2 s', 'only HTTP/1.1'),
  behind('untrusted', 'a certificate nobody trusts, for 2 s', 'untrusted certificate'),
  behind('other-certificate', 'another certificate, for 2 s', 'other certificate'),
  behind('mute', 'connections accepted and never a word, for 2 s', 'mute'),
  burst('429', 'for 1.5 s, with Retry-After: 1', 429, 1),
  { ...burst('429-bare', 'for 1.5 s, without Retry-After: Google asks for a minute', 429), patienceMs: 90_000 },
  burst('500', 'for 1.5 s', 500),
  burst('500-after', 'for 1.5 s, with Retry-After: 2', 500, 2),
  burst('503', 'for 1.5 s', 503),
  burst('503-after', 'for 1.5 s, with Retry-After: 2', 503, 2),
]

/** A share of all first requests meets the fault. */
function some(name: string, what: string, share: number, reply: (coin: number) => PlannedReply): Scenario {
  return {
    name,
    what,
    async run(stage, { quick }) {
      const plan = someFirst(stage.seed, name, share, reply)
      stage.apns.plan = plan
      if (!quick) stage.fcm.plan = plan
      await stage.pushes.mixture(TRAFFIC_MS)
      // A slow machine is still sending.
      await reached(stage, SENT_MS)
      both(stage, (gateway) => (gateway.plan = null))
      return stage.apns.met + stage.fcm.met
    },
  }
}

/** Both gateways change during traffic, and change back. */
function behind(name: string, what: string, mode: Behind): Scenario {
  return {
    name,
    what,
    async run(stage, { quick }) {
      const sent = stage.pushes.mixture(TRAFFIC_MS)
      await Bun.sleep(50 + 200 * chance(stage.seed, name))
      const connections = () => stage.apns.connections.total + stage.fcm.connections.total
      const before = connections()
      // It drops the connections, and their requests wait.
      const turned = quick ? [stage.apns] : [stage.apns, stage.fcm]
      for (const gateway of turned) gateway.turn(mode)
      await sent
      // A slow machine may not have reconnected yet.
      await within(MEET_MS, () => connections() > before)
      const met = connections() - before
      for (const gateway of turned) gateway.turn('usual')
      await stage.pushes.toOne(0)
      await stage.pushes.toOne(1)
      return met
    },
  }
}

function burst(name: string, what: string, status: 429 | 500 | 503, retryAfterSeconds?: number): Scenario {
  return {
    name,
    what: `${status} ${what}`,
    async run(stage, { quick }) {
      const sent = stage.pushes.mixture(TRAFFIC_MS)
      await Bun.sleep(100)
      const plan = always({
        kind: 'refuse',
        as: status,
        ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      })
      stage.apns.plan = plan
      if (!quick || status === 503) stage.fcm.plan = plan
      await Bun.sleep(1_500)
      both(stage, (gateway) => (gateway.plan = null))
      await sent
      return stage.apns.met + stage.fcm.met
    },
  }
}

function both({ apns, fcm }: Stage, change: (gateway: Gateway) => void): void {
  change(apns)
  change(fcm)
}
