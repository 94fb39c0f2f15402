import { pick, pickWeighted } from '../../support/chance.ts'
import { ADMIN_SCENES } from './admin-scenes.ts'
import { LIFE_SCENES } from './life-scenes.ts'
import { push as pushTo } from './scene-parts.ts'
import type { Dice } from './scene-parts.ts'
import { COLLAPSES, IMPORTED, LOCALES, TAGS, USERS, ZONES } from './step.ts'
import type { PushStep, Step } from './step.ts'

/** Adds steps in some worlds: more of the life of devices, and administrators. */
export function drawLife(dice: Dice, steps: readonly Step[]): Step[] {
  const hasAdmin = dice('admin') < 0.15
  const count = 2 + Math.floor(dice('count') * 6)
  const lived = steps.map((step, n) => enriched((word) => dice(`${word} of ${n}`), step))
  for (let n = 0; n < count; n++) {
    const of = (word: string) => dice(`${word} beside ${n}`)
    lived.splice(Math.floor(of('when') * (lived.length + 1)), 0, ...drawStep(of, hasAdmin))
  }
  const scenes = hasAdmin ? ADMIN_SCENES : LIFE_SCENES
  const scene = dice('scene') < 0.7 ? pick(scenes, dice('which scene')) : () => []
  return [...lived, ...scene((word) => dice(`${word} of the scene`))]
}

/** Adds fields to registrations and pushes. */
function enriched(dice: Dice, step: Step): Step {
  if (step.kind === 'register') return { ...step, ...said(dice) }
  return step.kind === 'push' ? enrichedPush(dice, step) : step
}

function enrichedPush(dice: Dice, push: PushStep): PushStep {
  const isOfUser = push.to.kind !== 'one' && dice('user') < 0.15
  return {
    ...push,
    ...(isOfUser && { to: { kind: 'user', user: pick(USERS, dice('whose')) } }),
    ...(dice('translated') < 0.3 && { translated: true }),
    ...(dice('collapse') < 0.25 && { collapse: pick(COLLAPSES, dice('name')) }),
  }
}

function said(dice: Dice) {
  return {
    ...(dice('says user') < 0.6 && { user: pick(['', ...USERS, ...USERS], dice('user')) }),
    ...(dice('says locale') < 0.6 && { locale: pick(Object.keys(LOCALES), dice('locale')) }),
  }
}

function drawStep(dice: Dice, hasAdmin: boolean): Step[] {
  const phone = Math.floor(dice('phone') * 8)
  const imported = IMPORTED + Math.floor(dice('imported') * 4)
  const push = Math.floor(dice('push') * 8)
  const tags = TAGS.filter((tag) => dice(tag) < 0.4)
  const comes = { kind: 'register', phone, tags, zone: pick(ZONES, dice('zone')) } as const
  const kinds: readonly [weight: number, make: () => Step[]][] = [
    [5, () => [{ ...comes, moves: 'replaces' }]],
    [3, () => [{ ...comes, ...said(dice) }]],
    [2, () => [{ kind: 'erase', user: pick(USERS, dice('user')), by: dice('by') < 0.8 ? 0 : 1 }]],
    [4, () => [{ kind: 'report', push, phone, action: pick(['', 'reply', 'later'], dice('action')) }]],
    [2, () => [{ kind: 'import', phones: [imported, imported + 1], tags }]],
    [2, () => [{ ...comes, phone: imported, moves: 'adopts' }]],
    [
      2,
      () => [
        pushTo(
          { kind: 'all' },
          {
            badge: '+1',
            when: { kind: 'in', seconds: Math.ceil(dice('in') * 3 * 86_400) },
            keyed: dice('keyed') < 0.3,
          },
        ),
      ],
    ],
  ]
  const adminKinds: typeof kinds = [
    [3, () => [{ kind: 'resend', push }]],
    [1, () => [{ kind: 'quota', calls: Math.floor(2 + dice('quota') * 6) }, { kind: 'spend' }]],
    [
      1,
      () => [{ kind: 'credential', whose: 0, gateway: dice('gateway') < 0.5 ? 'apns' : 'fcm', byAdmin: true } as const],
    ],
  ]
  return pickWeighted(hasAdmin ? [...kinds, ...adminKinds] : kinds, dice('kind'))()
}
