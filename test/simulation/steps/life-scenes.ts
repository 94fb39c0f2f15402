import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/clock.ts'
import { pick } from '../../support/chance.ts'
import { comes, either, fair, LAST, push, stop, wait } from './scene-parts.ts'
import type { Dice } from './scene-parts.ts'
import { COLLAPSES, IMPORTED, LOCALES, PHONES, USERS } from './step.ts'
import type { Step } from './step.ts'

/* Years of devices, users and administrators: new tokens, users and languages, erasure, imports, pushes due in days. */

export const LIFE_SCENES: readonly ((dice: Dice) => Step[])[] = [
  movedInRest,
  movedAmidCrowd,
  movedOnItsWay,
  anewInAnotherZone,
  erasedAmidCrowd,
  erasedUntold,
  reportedAgain,
  daysAhead,
  daysAhead,
  setAside,
  allRefused,
  broughtIn,
  inOtherLanguages,
  countedOverCrashes,
  countedInRest,
]

/** A waiting push goes to the phone's current token. */
function movedInRest(dice: Dice): Step[] {
  const { phone, gateway } = either(dice)
  return [
    fair(gateway),
    comes(phone),
    push({ kind: 'one', phone }),
    wait(2 * SECOND_MS),
    { kind: 'weather', gateway, weather: dice('how') < 0.5 ? 'busy' : 'away' },
    push({ kind: 'all' }, { badge: '+1' }),
    wait(SECOND_MS * (1 + dice('amid'))),
    { ...comes(phone), moves: 'replaces' },
    dice('then') < 0.3 ? { kind: 'crash', downMs: 500 } : wait(2 * SECOND_MS),
    fair(gateway),
    wait(MINUTE_MS),
  ]
}

function movedAmidCrowd(dice: Dice): Step[] {
  const { phone, gateway } = either(dice)
  return [
    fair(gateway),
    comes(phone),
    { kind: 'crowd', platform: phone, count: PHONES + Math.floor(dice('size') * 100) },
    wait(50),
    push({ kind: 'all' }, { badge: dice('badge') < 0.5 ? '+1' : '' }),
    wait(dice('ms') * 250),
    { ...comes(phone), moves: 'replaces' },
    { ...comes(2 + phone), moves: 'replaces' },
    wait(dice('then') * 50),
    dice('stop') < 0.5 ? { kind: 'crash', ...stop(dice) } : wait(100),
    wait(5 * SECOND_MS),
    { kind: 'badge-seen', phone },
  ]
}

/** The earlier token is called gone when there is a new one. */
function movedOnItsWay(dice: Dice): Step[] {
  const { phone, gateway } = either(dice)
  return [
    fair(gateway),
    comes(phone),
    push({ kind: 'one', phone }),
    wait(2 * SECOND_MS),
    { kind: 'fate', phone, state: dice('fate') < 0.7 ? 'gone' : 'bad' },
    wait(10),
    push({ kind: 'all' }, { badge: '+1' }),
    wait(2 + dice('ms') * 40),
    { ...comes(phone), moves: 'replaces' },
    wait(MINUTE_MS),
    { kind: 'badge-seen', phone },
  ]
}

/** A phone that was gone and returns in an earlier zone is another device. */
function anewInAnotherZone(dice: Dice): Step[] {
  const { phone, gateway } = either(dice)
  return [
    fair(gateway),
    { ...comes(phone), zone: 'Europe/Berlin' },
    wait(SECOND_MS),
    push({ kind: 'all' }, { when: { kind: 'local', minutes: 60 + Math.floor(dice('minutes') * 3) } }),
    wait(3 * MINUTE_MS),
    dice('how') < 0.5 ? { kind: 'unregister', phone } : { kind: 'fate', phone, state: 'gone' },
    push({ kind: 'one', phone }),
    wait(2 * SECOND_MS),
    { ...comes(phone), zone: '' },
    wait(SECOND_MS),
  ]
}

function erasedAmidCrowd(dice: Dice): Step[] {
  const { phone, gateway } = either(dice)
  const user = pick(USERS, dice('user'))
  const theirs = [phone, 2 + phone, 4 + phone].map((one) => comes(one, { user }))
  return [
    fair(gateway),
    ...theirs,
    { kind: 'crowd', platform: phone, count: PHONES + Math.floor(dice('size') * 60) },
    wait(50),
    { kind: 'fate', phone: 2 + phone, state: dice('fate') < 0.5 ? 'gone' : 'bad' },
    push({ kind: 'one', phone: 2 + phone }),
    wait(2 * SECOND_MS),
    push(dice('to') < 0.5 ? { kind: 'all' } : { kind: 'user', user }),
    wait(dice('ms') * 150),
    { kind: 'report', push: LAST, phone, action: dice('what') < 0.5 ? 'reply' : '' },
    { kind: 'erase', user, by: 0 },
    wait(dice('after') * 200),
    ...(dice('stop') < 0.3 ? [{ kind: 'crash', ...stop(dice) } as const] : []),
    wait(2 * SECOND_MS),
    push({ kind: 'user', user }),
    dice('back') < 0.5 ? comes(phone) : wait(10),
    wait(2 * SECOND_MS),
  ]
}

/** A device is erased while its events wait for a receiver. */
function erasedUntold(dice: Dice): Step[] {
  const { phone, gateway } = either(dice)
  const user = pick(USERS, dice('user'))
  return [
    fair(gateway),
    comes(phone, { user }),
    push({ kind: 'one', phone }),
    wait(2 * SECOND_MS),
    { kind: 'receiver', mood: 'away' },
    { kind: 'open', push: LAST, phone },
    { kind: 'report', push: LAST, phone, action: 'reply' },
    { kind: 'fate', phone, state: 'gone' },
    push({ kind: 'all' }),
    wait((4 + dice('ms') * 20) * SECOND_MS),
    { kind: 'erase', user, by: 0 },
    wait(20 * SECOND_MS),
    { kind: 'receiver', mood: 'well' },
    wait(6 * MINUTE_MS),
  ]
}

/** An app without an answer reports again. */
function reportedAgain(dice: Dice): Step[] {
  const { phone } = either(dice)
  const action = pick(['reply', 'later', ''], dice('action'))
  const reports: readonly Step[] = [
    { kind: 'report', push: LAST, phone, action },
    { kind: 'open', push: LAST, phone },
    { kind: 'report', push: LAST, phone: 2 + phone, action },
  ]
  return [
    comes(phone),
    comes(2 + phone),
    push({ kind: 'all' }, { translated: true }),
    wait(SECOND_MS),
    ...reports,
    wait(dice('ms') * 20),
    dice('then') < 0.5 ? { kind: 'crash', ...stop(dice) } : { ...comes(phone), moves: 'replaces' },
    wait(SECOND_MS),
    ...reports,
    wait(100),
    { kind: 'status', push: LAST },
  ]
}

/** A push is due in days, and goes out hours late after a stop or sleep. */
function daysAhead(dice: Dice): Step[] {
  const seconds = Math.ceil((1 + dice('days') * 60) * 3600)
  const lateMs = Math.ceil(dice('late') * 30 * HOUR_MS)
  const ms = seconds * 1000 + lateMs
  const late: readonly Step[] = [
    { kind: 'crash', downMs: ms },
    { kind: 'stand-still', ms },
    { kind: 'crash', downMs: ms - lateMs / 2 },
  ]
  return [
    push({ kind: 'all' }, { when: { kind: 'in', seconds } }),
    push(
      { kind: 'one', phone: either(dice).phone },
      { when: { kind: 'in', seconds: Math.ceil(seconds / 2) }, keyed: true },
    ),
    wait(dice('ms') * 2 * SECOND_MS),
    ...(dice('cancel') < 0.2 ? [{ kind: 'cancel', push: LAST } as const] : []),
    pick(late, dice('how')),
    wait(SECOND_MS),
    { kind: 'again', push: LAST },
    wait(MINUTE_MS),
  ]
}

/** A token is set aside, and the credential is replaced. */
function setAside(dice: Dice): Step[] {
  const { phone, gateway } = either(dice)
  return [
    fair(gateway),
    comes(phone),
    comes(2 + phone),
    push({ kind: 'all' }),
    wait(MINUTE_MS),
    { kind: 'fate', phone, state: 'bad' },
    push({ kind: 'all' }),
    wait(MINUTE_MS),
    ...(dice('stop') < 0.5 ? [{ kind: 'restart' } as const] : []),
    { kind: 'credential', whose: 0, gateway },
    dice('then') < 0.3 ? { kind: 'crash', downMs: 100 } : wait(5 * SECOND_MS),
    wait(5 * SECOND_MS),
  ]
}

/** Nothing is taken with a new credential, which may be wrong: nobody is set aside. */
function allRefused(dice: Dice): Step[] {
  const { phone, gateway } = either(dice)
  const all = Array.from({ length: PHONES / 2 }, (_, n) => phone + 2 * n)
  return [
    fair(gateway),
    { kind: 'credential', whose: 0, gateway },
    wait(2 * SECOND_MS),
    ...all.map((one): Step => ({ kind: 'fate', phone: one, state: 'bad' })),
    push({ kind: 'all' }),
    wait(dice('ms') * SECOND_MS),
    dice('stop') < 0.3 ? { kind: 'crash', ...stop(dice) } : wait(10),
    wait(MINUTE_MS),
  ]
}

/** An import, and apps, some with other tokens than imported. */
function broughtIn(dice: Dice): Step[] {
  const phones = Array.from({ length: 2 + Math.floor(dice('count') * 4) }, (_, n) => IMPORTED + n)
  const list: Step = { kind: 'import', phones, tags: ['red'] }
  const launches = phones.map((phone, n): Step => {
    const how = dice(`how ${n}`)
    return how < 0.5 ? comes(phone, { moves: 'adopts' }) : how < 0.75 ? comes(phone) : wait(1)
  })
  return [
    list,
    push({ kind: 'tag', tag: 'red' }, { badge: '+1' }),
    wait(dice('ms') * 200),
    ...launches.slice(0, 1),
    wait(dice('amid') * 2 * SECOND_MS),
    dice('stop') < 0.3 ? { kind: 'crash', ...stop(dice) } : wait(SECOND_MS),
    ...launches.slice(1),
    wait(SECOND_MS),
    push({ kind: 'all' }, { badge: '+1' }),
    wait(2 * SECOND_MS),
    list,
    wait(SECOND_MS),
  ]
}

function inOtherLanguages(dice: Dice): Step[] {
  const { gateway } = either(dice)
  const locales = Object.keys(LOCALES)
  const speak = (word: string) =>
    [0, 1, 2, 3].map((phone) => comes(phone, { locale: pick(locales, dice(`${word} ${phone}`)) }))
  return [
    ...speak('first'),
    wait(SECOND_MS),
    { kind: 'weather', gateway, weather: pick(['rough', 'busy', 'calm'] as const, dice('weather')) },
    push({ kind: 'all' }, { translated: true, collapse: pick(COLLAPSES, dice('collapse')) }),
    wait(dice('ms') * 100),
    ...speak('second'),
    wait(dice('amid') * 3 * SECOND_MS),
    fair(gateway),
    push({ kind: 'all' }, { translated: true }),
    wait(30 * SECOND_MS),
    { kind: 'status', push: LAST },
  ]
}

/** Several pushes add one each, through crashes. */
function countedOverCrashes(dice: Dice): Step[] {
  const { phone, gateway } = either(dice)
  const one = push({ kind: 'one', phone }, { badge: '+1' })
  const stops = ['first', 'second', 'third'].flatMap((word): Step[] => [
    one,
    wait(dice(word) * 100),
    dice(`${word} stop`) < 0.5 ? { kind: 'crash', ...stop(dice) } : { kind: 'restart' },
  ])
  return [
    fair(gateway),
    comes(phone),
    { kind: 'badge', phone, count: 2 },
    wait(MINUTE_MS),
    { kind: 'weather', gateway, weather: pick(['rough', 'busy', 'calm'] as const, dice('weather')) },
    ...stops,
    fair(gateway),
    wait(MINUTE_MS),
    { kind: 'badge-seen', phone },
  ]
}

/** A push waits for a retry over a stop; before that, another push counts or a call sets the badge. */
function countedInRest(dice: Dice): Step[] {
  const { phone, gateway } = either(dice)
  const one = push({ kind: 'one', phone }, { badge: '+1' })
  return [
    fair(gateway),
    comes(phone),
    { kind: 'badge', phone, count: 1 },
    wait(MINUTE_MS),
    { kind: 'weather', gateway, weather: 'busy' },
    one,
    wait(2 * SECOND_MS),
    fair(gateway),
    dice('then') < 0.5 ? one : { kind: 'badge', phone, count: 7 },
    wait(dice('ms') * SECOND_MS),
    dice('stop') < 0.7 ? { kind: 'restart' } : { kind: 'crash', ...stop(dice) },
    wait(MINUTE_MS),
    { kind: 'badge-seen', phone },
  ]
}
