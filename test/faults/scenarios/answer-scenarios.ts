import { apnsRefusal } from '../../../src/gateway/simulator/apns/apns-gateway.ts'
import type { ApnsReason } from '../../../src/gateway/apns/answers.ts'
import { fcmRefusal } from '../../../src/gateway/simulator/fcm/fcm-answer.ts'
import type { FcmRefusal } from '../../../src/gateway/simulator/fcm/fcm-answer.ts'
import type { GrantFault } from '../../../src/gateway/simulator/fcm/token-issuer.ts'
import type { Gateway } from '../gateways/gateway.ts'
import type { Incoming, PlannedReply } from '../gateways/plan.ts'
import { chance } from '../stage/chance.ts'
import { reached } from '../stage/settled.ts'
import type { Stage } from '../stage/stage.ts'
import type { Scenario } from './scenario.ts'

/** How long all of it may take to arrive, in ms. */
const SENT_MS = 60_000

/** How long a credential that was refused may wait at the most, in ms: 30 s and what comes after. */
const PATIENCE_MS = 120_000

/** How long a gateway says the same to everybody, in ms. */
const LASTING_MS = 2_000

/** Devices that FCM has forgotten. */
const DEAD = 5

/** One in so many devices was gone before it registered. */
const GONE_BEFORE = 10

/** What APNs and Google's services have answered other people's senders (test/gateway/reality/rows.ts). */
export const ANSWER_SCENARIOS: readonly Scenario[] = [
  some('apns-updates', 'APNs: 429 TooManyProviderTokenUpdates, though the token is the same', 'apns', () =>
    ofApple('TooManyProviderTokenUpdates'),
  ),
  some('apns-narrow', 'APNs: 500, and one stream at a time until one is taken', 'apns', () => ({
    ...ofApple('InternalServerError'),
    narrows: true,
  })),
  everybody('apns-parting', 'APNs: GOAWAY without error, last stream 0, BadCertificate', {
    kind: 'parting',
    word: 'BadCertificate',
  }),
  everybody('apns-key', 'APNs: 403 InvalidProviderToken', ofApple('InvalidProviderToken')),
  {
    name: 'apns-gone-before',
    what: 'APNs: 410 since 2020, of devices that have registered since, which stay',
    async run(stage) {
      const gone = [...stage.ledger.devices]
        .filter(([, { platform }]) => platform === 0)
        .filter((_, n) => n % GONE_BEFORE === 0)
      const tokens = new Set(gone.map(([, { token }]) => token))
      const answer = apnsRefusal('Unregistered', crypto.randomUUID(), Date.UTC(2020, 0, 1))
      let met = 0
      stage.apns.plan = ({ token }) => {
        if (!tokens.has(token)) return null
        met++
        return { kind: 'say', answer }
      }
      await stage.pushes.toAll()
      const [push] = stage.ledger.pushes.slice(-1)
      if (push !== undefined) stage.ledger.giveUp(push.text, new Set(gone.map(([key]) => key)))
      await reached(stage, SENT_MS)
      stage.apns.plan = null
      await stage.pushes.toAll()
      return met
    },
  },
  dead('fcm-bodiless', '401 with an empty body', 'bodiless'),
  dead('fcm-notfound', '404 without details', 'notfound'),
  some('fcm-delivered', 'FCM: 503 UNAVAILABLE, of what is delivered all the same', 'fcm', () => ({
    kind: 'say',
    answer: fcmRefusal('unavailable', 'project', 0),
    delivers: true,
  })),
  some('fcm-page', 'FCM: 502, a page of Google’s front end', 'fcm', () => ({
    kind: 'say',
    answer: fcmRefusal('badgateway', 'project', 0),
  })),
  refusedGrant('oauth-clock', 'the token must be short-lived', 'clock'),
  refusedGrant('oauth-key', 'the signature is not known yet', 'key'),
]

function ofApple(reason: ApnsReason): Extract<PlannedReply, { kind: 'say' }> {
  return { kind: 'say', answer: apnsRefusal(reason, crypto.randomUUID()) }
}

/** What one in fifty first requests is answered. */
function some(name: string, what: string, of: 'apns' | 'fcm', reply: () => PlannedReply): Scenario {
  return {
    name,
    what: `of some: ${what}`,
    async run(stage) {
      const gateway: Gateway = stage[of]
      let met = 0
      gateway.plan = ({ token, text, attempt }: Incoming) => {
        if (attempt > 1 || chance(stage.seed, name, token, String(text)) >= 0.02) return null
        met++
        return reply()
      }
      for (let n = 0; n < 3; n++) await stage.pushes.toAll()
      await reached(stage, SENT_MS)
      gateway.plan = null
      return met
    },
  }
}

/** What FCM says of a few devices, which leave once it takes messages for others. */
function dead(name: string, what: string, refusal: FcmRefusal): Scenario {
  return {
    name,
    what: `FCM, of ${DEAD} devices, while others are taken: ${what}`,
    async run(stage) {
      const phones = [...stage.ledger.devices].filter(([, { platform }]) => platform === 1)
      const gone = new Map(phones.slice(0, DEAD).map(([key, { token }]) => [token, key]))
      for (const key of gone.values()) stage.ledger.fates.set(key, 'leaves')
      const answer = fcmRefusal(refusal, 'project', 0)
      let met = 0
      stage.fcm.plan = ({ token }) => {
        if (!gone.has(token)) return null
        met++
        return { kind: 'say', answer }
      }
      await stage.pushes.toAll()
      const healthy = phones.at(-1)?.[1]
      for (const end = Date.now() + SENT_MS; Date.now() < end && (await anyListed(stage, gone));) {
        if (healthy !== undefined) await stage.pushes.toDevice(healthy)
        await Bun.sleep(2_000)
      }
      return met
    },
  }
}

async function anyListed({ api }: Stage, tokens: ReadonlyMap<string, string>): Promise<boolean> {
  const answer = await api.call('GET', '/deviceToken/all')
  const listed: readonly { readonly token: string }[] = answer?.status === 200 ? answer.body : []
  return listed.some(({ token }) => tokens.has(token))
}

/** What every request to APNs is answered for two seconds. */
function everybody(name: string, what: string, reply: PlannedReply): Scenario {
  return {
    name,
    what: `of all for ${LASTING_MS / 1000} s: ${what}`,
    patienceMs: PATIENCE_MS,
    async run(stage) {
      let met = 0
      stage.apns.plan = () => {
        met++
        return reply
      }
      await stage.pushes.toAll()
      await Bun.sleep(LASTING_MS)
      stage.apns.plan = null
      await stage.pushes.toAll()
      return met
    },
  }
}

/** Google's token endpoint refuses the first request for an access token. */
function refusedGrant(name: string, what: string, fault: GrantFault): Scenario {
  return {
    name,
    what: `Google’s token endpoint, once: 400 invalid_grant, ${what}`,
    patienceMs: PATIENCE_MS,
    async run(stage: Stage) {
      await stage.stop()
      stage.refuseGrant(fault)
      await stage.start()
      await stage.pushes.toAll()
      return await noticed(stage)
    },
  }
}

/** How often the log says so, as soon as it does. */
async function noticed(stage: Stage): Promise<number> {
  for (const end = Date.now() + SENT_MS; Date.now() < end;) {
    if (stage.log().includes('access token: invalid_grant')) return 1
    await Bun.sleep(20)
  }
  return 0
}
