import { MINUTE_MS, SECOND_MS } from '../../../src/clock.ts'
import { pick } from '../../support/chance.ts'
import { comes, fair, FIRST_PHONES, GATEWAYS, LAST, push, stop, wait } from './scene-parts.ts'
import type { Dice } from './scene-parts.ts'
import { PHONES } from './step.ts'
import type { Step } from './step.ts'

/* Steps that matter only in this order, which chance would rarely produce: a stop amid a crowd, a cancellation just before its time, a phone that returns while it is called gone. */

export const SCENES: readonly ((dice: Dice) => Step[])[] = [
  whileCrowdIsSentTo,
  justBeforeItsMoment,
  twoOfOneMoment,
  busyForAMoment,
  badgeWhileOnItsWay,
  countedAmidTrouble,
  backWhileGone,
  diedWhileTold,
  diedBetweenTwo,
  countedOverRestart,
  whileTheOtherIsAsked,
]

/** Effects of several rare events together. */
export const RARE_SCENES: readonly ((dice: Dice) => Step[])[] = [
  cancelledBeforeItsToken,
  setWhileOnItsWay,
  setWhileRead,
  askedToRestInPause,
  askedToRestWhileRenewing,
  replacedWhileTheOtherIsAsked,
]

function whileCrowdIsSentTo(dice: Dice): Step[] {
  const then: readonly Step[] = [{ kind: 'restart' }, { kind: 'cancel', push: LAST }, { kind: 'crash', ...stop(dice) }]
  return [
    { kind: 'crowd', platform: dice('whose') < 0.5 ? 0 : 1, count: PHONES + Math.floor(dice('size') * 100) },
    wait(50),
    push({ kind: 'all' }, { badge: dice('badge') < 0.5 ? '+1' : '' }),
    wait(dice('ms') * 250),
    pick(then, dice('then')),
    wait(dice('after') * 250),
  ]
}

function justBeforeItsMoment(dice: Dice): Step[] {
  return [
    push({ kind: 'all' }, { when: { kind: 'in', seconds: 2 } }),
    wait(dice('ms') * 2 * SECOND_MS),
    { kind: 'cancel', push: LAST },
    wait(dice('after') * 3 * SECOND_MS),
  ]
}

function twoOfOneMoment(dice: Dice): Step[] {
  const inTwo = push({ kind: 'all' }, { when: { kind: 'in', seconds: 2 } })
  return [inTwo, wait(dice('between') * SECOND_MS), inTwo, wait(3 * SECOND_MS)]
}

function busyForAMoment(dice: Dice): Step[] {
  const gateway = pick(GATEWAYS, dice('gateway'))
  return [
    { kind: 'weather', gateway, weather: 'busy' },
    push({ kind: 'one', phone: FIRST_PHONES[GATEWAYS.indexOf(gateway)] ?? 0 }, { badge: '+1' }),
    wait(100 + dice('ms') * 100),
    { kind: 'weather', gateway, weather: 'calm' },
    wait(20 * SECOND_MS),
  ]
}

function badgeWhileOnItsWay(dice: Dice): Step[] {
  const phone = pick(FIRST_PHONES, dice('phone'))
  return [
    push({ kind: 'one', phone }, { badge: dice('badge') < 0.5 ? '5' : '+1' }),
    wait(5 + dice('ms') * 60),
    { kind: 'badge', phone, count: 7 },
    wait(200 + dice('after') * SECOND_MS),
  ]
}

function countedAmidTrouble(dice: Dice): Step[] {
  const gateway = pick(GATEWAYS, dice('gateway'))
  const one = push({ kind: 'one', phone: FIRST_PHONES[GATEWAYS.indexOf(gateway)] ?? 0 }, { badge: '+1' })
  return [
    one,
    wait(SECOND_MS),
    { kind: 'weather', gateway, weather: 'rough' },
    ...['first', 'second', 'third', 'fourth'].flatMap((word) => [one, wait(dice(word) * 60)]),
    wait(40 * SECOND_MS),
  ]
}

function backWhileGone(dice: Dice): Step[] {
  const phone = pick(FIRST_PHONES, dice('phone'))
  return [
    { kind: 'fate', phone, state: 'gone' },
    wait(1 + dice('gone') * 50),
    push({ kind: 'all' }),
    wait(5 + dice('ms') * 60),
    comes(phone),
    wait(200 + dice('after') * 3 * SECOND_MS),
  ]
}

function diedWhileTold(dice: Dice): Step[] {
  return [
    fair('apns'),
    push({ kind: 'one', phone: 0 }),
    wait(50 + dice('ms') * 400),
    { kind: 'crash', ...stop(dice) },
    wait(dice('after') * SECOND_MS),
  ]
}

/** The first of two is on disk, the second is not. */
function diedBetweenTwo(dice: Dice): Step[] {
  const [first, second] = dice('order') < 0.5 ? FIRST_PHONES : FIRST_PHONES.toReversed()
  return [
    push({ kind: 'all' }),
    wait(SECOND_MS),
    push({ kind: 'one', phone: first ?? 0 }),
    wait(dice('between') * 3),
    push({ kind: 'one', phone: second ?? 0 }),
    wait(dice('ms') * 6),
    { kind: 'crash', ...stop(dice) },
    wait(SECOND_MS),
  ]
}

/** Exceeds the daily quota around a stop. */
function countedOverRestart(dice: Dice): Step[] {
  const spent = Array.from({ length: 2 + Math.floor(dice('calls') * 2) }, (): Step => ({ kind: 'spend' }))
  return [...spent, wait(dice('ms') * 2 * SECOND_MS), { kind: 'restart' }, ...spent, { kind: 'spend' }]
}

/** Apple's other environment knows some of a crowd. */
function whileTheOtherIsAsked(dice: Dice): Step[] {
  const then: readonly Step[] = [
    { kind: 'credential', whose: 0, gateway: 'apns' },
    { kind: 'weather', gateway: 'apns', weather: 'refusing' },
  ]
  return [
    { kind: 'crowd', platform: 0, count: PHONES + 80 },
    wait(50),
    push({ kind: 'all' }),
    wait(50 + dice('ms') * 150),
    pick(then, dice('then')),
    wait(8 * SECOND_MS),
  ]
}

/** A new credential has no access token yet. Google takes 120 ms. */
function cancelledBeforeItsToken(dice: Dice): Step[] {
  return [
    fair('fcm'),
    comes(1),
    { kind: 'credential', whose: 0, gateway: 'fcm' },
    wait(2 * SECOND_MS),
    push({ kind: 'one', phone: 1 }),
    wait(8 + dice('ms') * 90),
    { kind: 'cancel', push: LAST },
    wait(SECOND_MS),
  ]
}

/** A badge is set during a request, and nothing counts afterwards. */
function setWhileOnItsWay(dice: Dice): Step[] {
  return [
    fair('apns'),
    comes(0),
    wait(MINUTE_MS),
    push({ kind: 'one', phone: 0 }, { badge: dice('badge') < 0.5 ? '5' : '+1' }),
    wait(5 + dice('ms') * 60),
    { kind: 'badge', phone: 0, count: 7 },
    wait(MINUTE_MS),
    { kind: 'badge-seen', phone: 0 },
  ]
}

/** The last of a crowd is read and waits, its badge is set, and nothing counts afterwards. */
function setWhileRead(dice: Dice): Step[] {
  return [
    fair('apns'),
    { kind: 'unregister', phone: 0 },
    { kind: 'crowd', platform: 0, count: PHONES + 40 },
    wait(MINUTE_MS),
    comes(0),
    wait(SECOND_MS),
    push({ kind: 'all' }, { badge: dice('badge') < 0.5 ? '5' : '+1' }),
    wait(5 + dice('ms') * 200),
    { kind: 'badge', phone: 0, count: 7 },
    wait(MINUTE_MS),
    { kind: 'badge-seen', phone: 0 },
  ]
}

/** Some requests to Apple cause a pause; the next are asked to rest for longer. */
function askedToRestInPause(dice: Dice): Step[] {
  return [
    fair('apns'),
    { kind: 'crowd', platform: 0, count: PHONES + 100 },
    push({ kind: 'one', phone: 0 }),
    wait(SECOND_MS),
    push({ kind: 'all' }),
    wait(25 + dice('amid') * 80),
    { kind: 'weather', gateway: 'apns', weather: 'busy' },
    wait(100),
    fair('apns'),
    wait(40 * SECOND_MS),
  ]
}

/**
 * One request to Google learns that its access token expired, another has to rest: the first gets a new token soon.
 */
function askedToRestWhileRenewing(dice: Dice): Step[] {
  return [
    fair('fcm'),
    { kind: 'crowd', platform: 1, count: PHONES + 100 },
    push({ kind: 'one', phone: 1 }),
    wait(SECOND_MS),
    push({ kind: 'all' }),
    wait(25 + dice('amid') * 80),
    { kind: 'weather', gateway: 'fcm', weather: 'expired' },
    wait(10 + dice('expired') * 30),
    { kind: 'weather', gateway: 'fcm', weather: 'refusing' },
    wait(100),
    fair('fcm'),
    wait(40 * SECOND_MS),
  ]
}

/** Apple takes over a second to say that a phone belongs to the other environment. */
function replacedWhileTheOtherIsAsked(dice: Dice): Step[] {
  const replaced: Step = { kind: 'credential', whose: 0, gateway: 'apns' }
  return [
    { kind: 'weather', gateway: 'apns', weather: 'slow' },
    { kind: 'crowd', platform: 0, count: PHONES + 40 },
    wait(SECOND_MS),
    push({ kind: 'all' }),
    wait((2 + dice('first') * 3) * SECOND_MS),
    replaced,
    wait((3 + dice('second') * 2) * SECOND_MS),
    replaced,
    wait((3 + dice('third') * 2) * SECOND_MS),
    replaced,
    wait(8 * SECOND_MS),
  ]
}
