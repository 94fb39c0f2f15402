import { apnsRefusal } from '../../../src/gateway/simulator/apns/apns-gateway.ts'
import type { ApnsReason } from '../../../src/gateway/apns/answers.ts'
import { fcmRefusal } from '../../../src/gateway/simulator/fcm/fcm-answer.ts'
import type { FcmRefusal } from '../../../src/gateway/simulator/fcm/fcm-answer.ts'
import type { GrantFault } from '../../../src/gateway/simulator/fcm/token-issuer.ts'
import { within } from '../../support/until.ts'
import { always, forTokens, someFirst } from '../gateways/plan.ts'
import type { PlannedReply } from '../gateways/plan.ts'
import { devicesOf } from '../stage/api.ts'
import { reached } from '../stage/settled.ts'
import type { Scenario } from './scenario.ts'

/** Time limit for delivery, in ms. */
const SENT_MS = 60_000

/** Longest wait for a refused credential, in ms: 30 s and the following attempts. */
const PATIENCE_MS = 120_000

/** How long a gateway refuses everything, in ms. */
const LASTING_MS = 2_000

const DEAD = 5

/** One of this many devices was gone before it registered. */
const GONE_BEFORE = 10

/** Answers that APNs and Google's services have given to other senders (test/gateway/reality/rows.ts). */
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
      stage.apns.plan = forTokens(tokens, { kind: 'say', answer })
      await stage.pushes.toAll()
      const [push] = stage.ledger.pushes.slice(-1)
      if (push !== undefined) stage.ledger.giveUp(push.text, new Set(gone.map(([key]) => key)))
      await reached(stage, SENT_MS)
      stage.apns.plan = null
      await stage.pushes.toAll()
      return stage.apns.met
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

/** One in fifty first requests gets this answer. */
function some(name: string, what: string, of: 'apns' | 'fcm', reply: () => PlannedReply): Scenario {
  return {
    name,
    what: `of some: ${what}`,
    async run(stage) {
      const gateway = stage[of]
      gateway.plan = someFirst(stage.seed, name, 0.02, reply)
      for (let n = 0; n < 3; n++) await stage.pushes.toAll()
      await reached(stage, SENT_MS)
      gateway.plan = null
      return gateway.met
    },
  }
}

/** FCM refuses a few devices. They leave once it accepts others. */
function dead(name: string, what: string, refusal: FcmRefusal): Scenario {
  return {
    name,
    what: `FCM, of ${DEAD} devices, while others are taken: ${what}`,
    async run(stage) {
      const phones = [...stage.ledger.devices].filter(([, { platform }]) => platform === 1)
      const gone = new Map(phones.slice(0, DEAD).map(([key, { token }]) => [token, key]))
      for (const key of gone.values()) stage.ledger.fates.set(key, 'leaves')
      stage.fcm.plan = forTokens(gone, { kind: 'say', answer: fcmRefusal(refusal, 'project', 0) })
      await stage.pushes.toAll()
      const healthy = phones.at(-1)?.[1]
      const areGone = async () => {
        const listed = await devicesOf(stage.api)
        if (listed?.some(({ token }) => gone.has(token)) !== true) return true
        if (healthy !== undefined) await stage.pushes.toDevice(healthy)
        return false
      }
      await within(SENT_MS, areGone, 2_000)
      return stage.fcm.met
    },
  }
}

/** Every request to APNs gets this answer for two seconds. */
function everybody(name: string, what: string, reply: PlannedReply): Scenario {
  return {
    name,
    what: `of all for ${LASTING_MS / 1000} s: ${what}`,
    patienceMs: PATIENCE_MS,
    async run(stage) {
      stage.apns.plan = always(reply)
      await stage.pushes.toAll()
      await Bun.sleep(LASTING_MS)
      stage.apns.plan = null
      await stage.pushes.toAll()
      return stage.apns.met
    },
  }
}

function refusedGrant(name: string, what: string, fault: GrantFault): Scenario {
  return {
    name,
    what: `Google’s token endpoint, once: 400 invalid_grant, ${what}`,
    patienceMs: PATIENCE_MS,
    async run(stage) {
      await stage.stop()
      stage.refuseGrant(fault)
      await stage.start()
      await stage.pushes.toAll()
      return Number(await within(SENT_MS, () => stage.log().includes('access token: invalid_grant')))
    },
  }
}
