import { always } from '../gateways/plan.ts'
import type { Plan, Refusal } from '../gateways/plan.ts'
import { devicesOf } from '../stage/api.ts'
import { keyOf } from '../stage/ledger.ts'
import type { KnownDevice, Platform } from '../stage/ledger.ts'
import { runCommand } from '../../support/service-process.ts'
import { reached } from '../stage/settled.ts'
import type { Stage } from '../stage/stage.ts'
import type { Scenario } from './scenario.ts'

/** Time limit for a broadcast before the next step, in ms. Later deliveries fail the row. */
const STEP_MS = 100_000

/** As from much of the world to Apple. */
const ROUND_TRIP_MS = [40, 40] as const

/** Unregistered first devices of each platform, followed by `BAD` tokens that no gateway issued. */
const DEAD = [900, 300] as const
const BAD = 40

/** Most devices of a platform set aside in a bad hour, and most requests before a refused push ends. */
const BAD_HOUR_DEVICES = 300
const REFUSED_PUSH_REQUESTS = 300

/** Time limit for the service to notice, in ms. */
const NOTICE_MS = 20_000

export const TOKEN_SCENARIOS: readonly Scenario[] = [
  {
    name: 'dead-first',
    what: `the oldest ${DEAD[0]} and ${DEAD[1]} tokens are dead (410, 404), ${BAD} more are bad (400); a round trip takes ${ROUND_TRIP_MS[0]} ms`,
    promptMs: 10_000,
    async run(stage) {
      await proveBoth(stage)
      await stage.stop()
      const fates = new Map<string, Refusal>()
      for (const platform of [0, 1] as const) {
        for (const [at, { token }] of knownOn(stage, platform)
          .slice(0, DEAD[platform] + BAD)
          .entries()) {
          fates.set(token, at < DEAD[platform] ? 'gone' : 'bad token')
          stage.ledger.fates.set(keyOf(platform, token), 'leaves')
        }
      }
      const plan: Plan = ({ token }) => {
        const as = fates.get(token)
        return as === undefined ? null : { kind: 'refuse', as }
      }
      for (const gateway of [stage.apns, stage.fcm]) Object.assign(gateway, { plan, latencyMs: ROUND_TRIP_MS })
      await stage.start()
      await stage.pushes.toAll()
      await reached(stage, STEP_MS)
      return metOf(stage)
    },
  },
  {
    name: 'bad-hour',
    what: 'a gateway that knew every token knows none; then it does again, and what was set aside is restored',
    async run(stage) {
      // Devices that a gateway has accepted before must not all be believed bad.
      await stage.pushes.toAll()
      await reached(stage, STEP_MS)
      // Whether a new device is in an audience cannot be told for a push that nobody gets.
      await stage.registrar.stop()
      const since = new Date().toISOString()
      for (const gateway of [stage.apns, stage.fcm]) gateway.plan = always({ kind: 'refuse', as: 'bad token' })
      await stage.pushes.toAll()
      await quiet(() => metOf(stage))
      for (const gateway of [stage.apns, stage.fcm]) gateway.plan = null
      const gone = await goneFrom(stage)
      const [push] = stage.ledger.pushes.slice(-1)
      if (push !== undefined) stage.ledger.giveUp(push.text, gone)
      for (const [platform, reason] of ['BadDeviceToken', 'INVALID_ARGUMENT'].entries()) {
        const count = [...gone].filter((key) => key.startsWith(`${platform}/`)).length
        if (count > BAD_HOUR_DEVICES) stage.accuse(`devices of platform ${platform} set aside in a bad hour: ${count}`)
        // The command refuses a reason for which nobody was.
        if (count === 0) continue
        const words = [stage.application.id, '--since', since, '--reason', reason, '--yes', '--data', stage.data]
        await runCommand(stage.program, ['devices', 'restore', ...words]).catch((error: unknown) =>
          stage.accuse(String(error)),
        )
      }
      await stage.pushes.toAll()
      return metOf(stage)
    },
  },
  {
    name: 'refused-push',
    what: 'a notification that the gateways refuse for everybody; the next one is taken',
    async run(stage) {
      await proveBoth(stage)
      await stage.registrar.stop()
      const gateways = [stage.apns, stage.fcm]
      for (const gateway of gateways) gateway.plan = always({ kind: 'refuse', as: 'bad push' })
      await stage.pushes.toAll()
      const [push] = stage.ledger.pushes.slice(-1)
      if (push === undefined) return 0
      for (const gateway of gateways)
        gateway.plan = ({ text }) => (text === push.text ? { kind: 'refuse', as: 'bad push' } : null)
      stage.ledger.giveUp(push.text, push.must)
      await stage.pushes.toAll()
      await reached(stage, STEP_MS)
      for (const { met } of gateways) {
        if (met > REFUSED_PUSH_REQUESTS) stage.accuse(`asked ${met} times for a refused push`)
      }
      return metOf(stage)
    },
  },
]

function metOf({ apns, fcm }: Stage): number {
  return apns.met + fcm.met
}

function knownOn({ ledger }: Stage, platform: Platform): readonly KnownDevice[] {
  return [...ledger.devices.values()].filter((device) => device.platform === platform)
}

/** Proves both credentials: each gateway accepts a push. */
async function proveBoth(stage: Stage): Promise<void> {
  for (const platform of [0, 1] as const) {
    const device = knownOn(stage, platform).at(-1)
    if (device !== undefined) await stage.pushes.toDevice(device)
  }
  await reached(stage, STEP_MS)
}

/** Resolves when a count has not changed for a second. */
async function quiet(count: () => number): Promise<void> {
  const deadline = Date.now() + NOTICE_MS
  for (let before = -1; Date.now() < deadline && (count() !== before || before === 0);) {
    before = count()
    await Bun.sleep(1_000)
  }
}

/** Acknowledged devices (`keyOf`) that are not listed. */
async function goneFrom({ api, ledger }: Stage): Promise<ReadonlySet<string>> {
  const acked = [...ledger.devices].filter(([, { ackedAt }]) => ackedAt !== null).map(([key]) => key)
  const listed = (await devicesOf(api)) ?? []
  return new Set(acked).difference(new Set(listed.map(({ platform, token }) => `${platform}/${token}`)))
}
