import type { FinalVerdict } from '../../../../src/delivery/verdict.ts'
import type { Outcome } from '../../../../src/gateway/gateway.ts'
import type { Dice } from '../../../fuzz/dice.ts'
import { recordOf } from '../../../support/made-up-delivery.ts'

export const CREDENTIAL = 7

/** `away`: no answers for a while. */
type Mood = 'well' | 'flaky' | 'away' | 'refusing' | 'bad tokens'

const MOODS: readonly Mood[] = ['well', 'well', 'flaky', 'flaky', 'away', 'refusing', 'bad tokens']

export type Circumstances = ReturnType<typeof circumstancesOf>

/** What a seed chooses: audience, gateway, disk, and how often things fail. */
export function circumstancesOf(dice: Dice) {
  const isHuge = dice.happens(0.5)
  const small = [0, 1, 1, dice.whole(2, 40), dice.whole(2, 40), dice.whole(41, 200), dice.whole(200, 900)]
  const size = isHuge ? dice.whole(9000, 12_000) : dice.pick(small)
  const devices: number[] = []
  const gap = dice.whole(1, 3)
  for (let id = 0; devices.length < size;) devices.push((id += dice.whole(1, gap)))
  return {
    isHuge,
    devices,
    record: recordOf({
      queue: size <= 1 && dice.happens(50) ? 'single' : 'many',
      ceiling: (devices.at(-1) ?? 0) + dice.whole(0, 3),
      expiresAt: dice.pick([dice.whole(1, 3000), 3_600_000, 3_600_000]),
      notification: { msg: 'Hello', sound: null, badge: dice.happens(30) ? { add: 1 } : null, payload: null },
    }),
    mood: isHuge ? 'well' : dice.pick(MOODS),
    reach: dice.happens(30) ? dice.whole(1, 50) : Number.POSITIVE_INFINITY,
    /** Reads before the users of the audience are known. */
    lookups: dice.happens(15) ? dice.whole(1, 6) : 0,
    readsFail: dice.happens(10),
    /** Per hundred taken. */
    samples: dice.pick([0, 0, 10, 60]),
    // Per thousand steps.
    crashes: dice.pick([0, 0, 3]),
    stops: dice.pick([0, 0, 8]),
    cancels: dice.pick([0, 0, 0, 3]),
    /** Chance per step that the disk takes a write, in percent. */
    disk: dice.pick([2, 20, 60]),
    window: dice.pick([1, 10, 100, 1000]),
    steps: isHuge ? 400 : dice.whole(0, 150),
  } as const
}

interface Asked {
  readonly mood: Mood
  readonly isRestless: boolean
  readonly isHeld: boolean
}

/** `null`: the gateway is not asked. */
export function answerOf(
  { mood, isRestless, isHeld }: Asked,
  dice: Dice,
  now: number,
): { readonly outcome: Outcome | null; readonly verdict: FinalVerdict } {
  const failed = { kind: 'failed', state: 'rejected', device: 'keep', since: null } as const
  if (mood === 'refusing' && !dice.happens(0.5)) {
    const reason = 'PayloadTooLarge'
    return { outcome: { kind: 'rejected', blame: 'push', reason }, verdict: { ...failed, reason } }
  }
  if (mood === 'bad tokens') {
    const reason = 'BadDeviceToken'
    return { outcome: { kind: 'rejected', blame: 'token', reason }, verdict: { ...failed, reason } }
  }
  if (isRestless && (mood === 'away' || (mood === 'flaky' && dice.happens(40)))) {
    const reason = 'ServiceUnavailable'
    const outcome = isHeld ? null : ({ kind: 'deferred', afterMs: null, scope: 'device', reason } as const)
    return { outcome, verdict: { kind: 'retry', dueAt: now + dice.whole(0, 10_000), reason } }
  }
  return { outcome: { kind: 'accepted' }, verdict: { kind: 'accepted', credential: CREDENTIAL } }
}
