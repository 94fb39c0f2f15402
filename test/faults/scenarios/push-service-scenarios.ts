import { webPushRefusal } from '../../../src/gateway/simulator/webpush/webpush-answer.ts'
import type { PlayedService, WebPushRefusal } from '../../../src/gateway/simulator/webpush/webpush-answer.ts'
import type { Gateway } from '../gateways/gateway.ts'
import { within } from '../../support/until.ts'
import { always, forTokens, someFirst } from '../gateways/plan.ts'
import type { PlannedReply } from '../gateways/plan.ts'
import { addBrowsers, browsersAt, useOtherVapidKey, useVapidKey } from '../stage/browsers.ts'
import { chance } from '../../support/chance.ts'
import { keyOf } from '../stage/ledger.ts'
import { reached, settled } from '../stage/settled.ts'
import type { Stage } from '../stage/stage.ts'
import type { Scenario } from './scenario.ts'

/** Browsers at each push service. */
const EACH = 200

/** Time limit for delivery, in ms. */
const SENT_MS = 60_000

/** Longest time from a broadcast to a kill, in ms, at this latency. */
const BROADCAST_MS = 600
const LATENCY_MS = [50, 400] as const

/** The slowest answers that do not make the client give up the connection, in ms. */
const SLOW_MS = [2_000, 3_000] as const

const INTERNAL_ERROR = 2

const RETRY_AFTER_SECONDS = 2

/** The first of two push services fails. */
export const PUSH_SERVICE_SCENARIOS: readonly Scenario[] = [
  some('silence', 'taken or not, and never answered', 0.05, (coin) => ({ kind: 'silence', taken: coin < 0.5 })),
  some('reset', 'RST_STREAM INTERNAL_ERROR', 0.1, (coin) => ({
    kind: 'reset',
    code: INTERNAL_ERROR,
    taken: coin < 0.5,
  })),
  some('cut', 'the connection is dropped', 0.005, (coin) => ({ kind: 'cut', midAnswer: false, taken: coin < 0.5 })),
  some('page', '200 with a web page, and nothing taken', 0.1, () => ({ kind: 'garble', taken: false })),
  some('429', '429 with Retry-After: 1', 0.02, () => ({ kind: 'refuse', as: 429, retryAfterSeconds: 1 })),
  some('503', '503 with Retry-After: 2', 0.02, () => ({ kind: 'refuse', as: 503, retryAfterSeconds: 2 })),
  some('database', 'Mozilla: 503 errno 201 with Retry-After: 2, of one timeout of its database', 0.05, () =>
    saying('busy', 'mozilla'),
  ),
  some('bridge', 'Mozilla: 502 errno 903, of its bridge', 0.05, () => saying('bridge', 'mozilla')),
  some('406', 'Microsoft: 406 with Retry-After: 2', 0.05, () => saying('quota', 'microsoft')),
  some('channel', 'Microsoft: 201, and the channel is throttled', 0.05, () => saying('channelthrottled', 'microsoft')),
  some('nobody', 'ntfy: 507, since nobody has subscribed', 0.05, () => saying('nosubscriber', 'ntfy')),
  some('unauthorized', 'Google: 400 UnauthorizedRegistration, a page', 0.05, () => saying('denied', 'google')),
  some('apple-429', 'Apple: 429 TooManyRequests without Retry-After', 0.05, () => saying('throttled', 'apple')),
  some('front-end', 'Google: 400, a page of its front end', 0.05, () => saying('frontend')),
  some(
    'small',
    'Mozilla: 413 errno 104, of a message that fits without its padding',
    0.1,
    () => saying('large', 'mozilla'),
    {
      payload: { text: 'x'.repeat(2_400) },
    },
  ),
  everybody('proxy', '404 of Traefik in plain text', 'proxy'),
  everybody('nginx', '502 of nginx, a web page', 'nginx'),
  everybody('406-all', '406 of Microsoft with Retry-After: 2', 'quota', 'microsoft'),
  {
    name: 'browsers-mute',
    what: 'a push service accepts connections and never says a word, for 2 s',
    browsers: true,
    async run(stage) {
      await addBrowsers(stage, EACH)
      const { faulty } = servicesOf(stage)
      faulty.turn('mute')
      const before = faulty.connections.total
      await stage.pushes.toBrowsers()
      await Bun.sleep(2_000)
      const met = faulty.connections.total - before
      faulty.turn('usual')
      await stage.pushes.toBrowsers()
      return met
    },
  },
  {
    name: 'browsers-older',
    what: 'a push service speaks HTTP/1.1 alone from the middle of a broadcast on, and HTTP/2 again in the middle of the next',
    browsers: true,
    async run(stage) {
      await addBrowsers(stage, EACH)
      const { faulty } = servicesOf(stage)
      const met = () => faulty.arrivals.length
      const until = (count: number) => within(SENT_MS, () => met() >= count, 5)
      faulty.latencyMs = LATENCY_MS
      await stage.pushes.toBrowsers()
      await until(EACH / 2)
      faulty.turn('older')
      await reached(stage, SENT_MS)
      const before = met()
      await stage.pushes.toBrowsers()
      await until(before + EACH / 2)
      faulty.turn('usual')
      await stage.pushes.toBrowsers()
      return met() - before
    },
  },
  some('ntfy-limit', 'ntfy: 429 code 42908', 0.05, () => saying('throttled', 'ntfy')),
  {
    name: 'browsers-dropped',
    what: 'a push service, of every fifth browser: 201, and dropped, as Microsoft: the push has failed for them, and they stay',
    browsers: true,
    repeatedMost: 0,
    async run(stage) {
      await addBrowsers(stage, EACH)
      const { faulty } = servicesOf(stage)
      const dropped = new Set(browsersAt(stage, faulty).filter((_, n) => n % 5 === 0))
      faulty.plan = forTokens(dropped, saying('dropped', 'microsoft'))
      await stage.pushes.toBrowsers()
      const [push] = stage.ledger.pushes.slice(-1)
      if (push !== undefined) stage.ledger.giveUp(push.text, new Set(Array.from(dropped, (token) => keyOf(2, token))))
      await reached(stage, SENT_MS)
      faulty.plan = null
      await stage.pushes.toBrowsers()
      return faulty.met
    },
  },
  leaving('gone', '410', 'unregistered'),
  leaving('gone-google', '404 with Google’s sentence for a stale endpoint', 'notfound', 'google'),
  leaving('gone-mozilla', '404 with errno 102, as Mozilla', 'notfound', 'mozilla'),
  leaving('other-key-apple', '400 VapidPkHashMismatch, as Apple', 'otherkey', 'apple'),
  leaving('other-key-google', '403 with Google’s sentence for another key', 'otherkey', 'google'),
  leaving('other-key-mozilla', '401 with errno 109, as Mozilla', 'otherkey', 'mozilla'),
  {
    name: 'browsers-bare',
    what: 'a push service says 201 without Location, always',
    browsers: true,
    repeatedMost: 0,
    async run(stage) {
      await addBrowsers(stage, EACH)
      await stage.pushes.toBrowsers()
      await reached(stage, SENT_MS)
      return servicesOf(stage).bare.arrivals.length
    },
  },
  {
    name: 'browsers-slow',
    what: 'a push service takes 2 to 3 s for each answer: when the other has all of its own, half of its own are to come',
    browsers: true,
    repeatedMost: 0,
    async run(stage) {
      await addBrowsers(stage, EACH)
      const { faulty, bare } = servicesOf(stage)
      faulty.latencyMs = SLOW_MS
      await stage.pushes.toBrowsers()
      await within(SENT_MS, () => bare.arrivals.length >= EACH, 5)
      const met = faulty.arrivals.length
      if (met > EACH / 2) stage.accuse(`the fast push service waited until ${met} of the slow one's had been sent`)
      faulty.latencyMs = [2, 20]
      return met
    },
  },
  {
    name: 'browsers-key',
    what: 'another VAPID key in the middle of a broadcast, which the push services refuse, and the old one again',
    browsers: true,
    expects: /^Forbidden$/,
    async run(stage) {
      await addBrowsers(stage, EACH)
      const { faulty, bare } = servicesOf(stage)
      for (const service of [faulty, bare]) service.latencyMs = LATENCY_MS
      await stage.pushes.toBrowsers()
      await useOtherVapidKey(stage)
      await stage.pushes.toBrowsers()
      const met = () => faulty.faults.length + bare.faults.length
      await within(SENT_MS, () => met() > 0)
      await useVapidKey(stage)
      return met()
    },
  },
  {
    name: 'browsers-kill',
    what: 'kill -9 in the middle of a broadcast to browsers',
    browsers: true,
    patienceMs: 100_000,
    async run(stage, { rounds }) {
      await addBrowsers(stage, EACH)
      for (const service of stage.pushServices) service.latencyMs = LATENCY_MS
      for (let round = 1; round <= Math.min(rounds, 5); round++) {
        await stage.pushes.toBrowsers()
        await Bun.sleep(BROADCAST_MS * chance(stage.seed, 'browsers-kill', round))
        await stage.kill()
        await stage.start()
      }
      return stage.killedAt.size
    },
  },
]

/** `bare` never sends `Location`. */
function servicesOf({ pushServices: [faulty, bare] }: Stage): { readonly faulty: Gateway; readonly bare: Gateway } {
  if (faulty === undefined || bare === undefined) throw new Error('the stage has no push services')
  return { faulty, bare }
}

function saying(refusal: WebPushRefusal, by?: PlayedService): PlannedReply {
  return { kind: 'say', answer: webPushRefusal(refusal, RETRY_AFTER_SECONDS, by) }
}

/** One push service refuses every fifth browser, which must not be asked again. */
function leaving(name: string, what: string, refusal: WebPushRefusal, by?: PlayedService): Scenario {
  return {
    name: `browsers-${name}`,
    what: `a push service, of every fifth browser in the middle of a broadcast: ${what}`,
    browsers: true,
    async run(stage) {
      await addBrowsers(stage, EACH)
      const { faulty } = servicesOf(stage)
      const gone = new Set(browsersAt(stage, faulty).filter((_, n) => n % 5 === 0))
      for (const token of gone) stage.ledger.fates.set(keyOf(2, token), 'leaves')
      faulty.plan = forTokens(gone, saying(refusal, by))
      for (let n = 0; n < 2; n++) {
        await stage.pushes.toBrowsers()
        // A push that is sent at the same time asks twice.
        await settled(stage, SENT_MS)
      }
      const { met } = faulty
      if (met > gone.size) stage.accuse(`browsers that had left were asked ${met} times, and there were ${gone.size}`)
      return met
    },
  }
}

/** Every request to one push service gets this answer for two seconds. */
function everybody(name: string, what: string, refusal: WebPushRefusal, by?: PlayedService): Scenario {
  return {
    name: `browsers-${name}`,
    what: `a push service, of all for 2 s: ${what}`,
    browsers: true,
    repeatedMost: 0,
    async run(stage) {
      await addBrowsers(stage, EACH)
      const { faulty } = servicesOf(stage)
      faulty.plan = always(saying(refusal, by))
      await stage.pushes.toBrowsers()
      await Bun.sleep(2_000)
      faulty.plan = null
      await stage.pushes.toBrowsers()
      await reached(stage, SENT_MS)
      return faulty.met
    },
  }
}

/** A share of all first requests to one push service meets the fault. */
function some(
  name: string,
  what: string,
  share: number,
  reply: (coin: number) => PlannedReply,
  extra?: object,
): Scenario {
  return {
    name: `browsers-${name}`,
    what: `a push service, of some: ${what}`,
    browsers: true,
    async run(stage) {
      await addBrowsers(stage, EACH)
      const { faulty } = servicesOf(stage)
      faulty.plan = someFirst(stage.seed, name, share, reply)
      for (let n = 0; n < 3; n++) await stage.pushes.toBrowsers(extra)
      await reached(stage, SENT_MS)
      faulty.plan = null
      return faulty.met
    },
  }
}
