import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/clock.ts'
import { pick } from '../../support/chance.ts'
import { comes, either, fair, GATEWAYS, LAST, push, stop, wait } from './scene-parts.ts'
import type { Dice } from './scene-parts.ts'
import { PHONES } from './step.ts'
import type { Step } from './step.ts'

/** These call the admin API, which each run creates with the first call. */
export const ADMIN_SCENES: readonly ((dice: Dice) => Step[])[] = [sentAgain, sentAgain, heldBack, otherQuota, otherKey]

function sentAgain(dice: Dice): Step[] {
  const { gateway } = either(dice)
  // Its time to live ends in a minute, or while nothing runs for a day.
  const isLong = dice('long') < 0.5
  const again: Step = { kind: 'resend', push: LAST }
  return [
    { kind: 'weather', gateway, weather: pick(['rough', 'away', 'refusing'] as const, dice('weather')) },
    { kind: 'crowd', platform: GATEWAYS.indexOf(gateway) as 0 | 1, count: PHONES + 8 },
    wait(SECOND_MS),
    push(dice('to') < 0.7 ? { kind: 'all' } : { kind: 'tag', tag: 'red' }, { ttl: isLong ? null : 40, badge: '+1' }),
    wait(dice('before') * 3 * SECOND_MS),
    again,
    isLong ? { kind: 'crash', downMs: 25 * HOUR_MS } : wait(MINUTE_MS),
    wait(SECOND_MS),
    fair(gateway),
    wait(MINUTE_MS),
    { kind: 'status', push: 0 },
    { kind: 'status', push: LAST },
    again,
    wait(dice('ms') * 100),
    dice('stop') < 0.3 ? { kind: 'crash', ...stop(dice) } : again,
    wait(5 * SECOND_MS),
    again,
    wait(5 * SECOND_MS),
  ]
}

/** A held push can be cancelled, and goes out after its hold, whatever the clock shows. */
function heldBack(dice: Dice): Step[] {
  const then: readonly Step[] = [
    { kind: 'cancel', push: LAST },
    { kind: 'restart' },
    { kind: 'crash', ...stop(dice) },
    wait(1),
  ]
  return [
    { kind: 'hold', seconds: 3 },
    wait(2 * SECOND_MS),
    push({ kind: 'all' }, { badge: '+1' }),
    push({ kind: 'one', phone: 0 }),
    wait(dice('ms') * 3 * SECOND_MS),
    pick(then, dice('then')),
    wait(4 * SECOND_MS),
    { kind: 'hold', seconds: 0 },
    wait(2 * SECOND_MS),
    push({ kind: 'all' }),
    wait(SECOND_MS),
  ]
}

function otherQuota(dice: Dice): Step[] {
  const spent = Array.from({ length: 3 + Math.floor(dice('calls') * 3) }, (): Step => ({ kind: 'spend' }))
  return [
    ...spent,
    wait(dice('ms') * SECOND_MS),
    { kind: 'quota', calls: Math.floor(2 + dice('quota') * 8) },
    ...(dice('at once') < 0.5 ? [] : [wait(SECOND_MS)]),
    ...spent,
    wait(dice('after') * 2 * SECOND_MS),
    { kind: 'restart' },
    ...spent,
    wait(SECOND_MS),
  ]
}

function otherKey(dice: Dice): Step[] {
  const { phone, gateway } = either(dice)
  return [
    comes(phone),
    { kind: 'crowd', platform: phone, count: PHONES + 60 },
    push({ kind: 'all' }),
    wait(20 + dice('ms') * 150),
    { kind: 'credential', whose: 0, gateway, byAdmin: true },
    wait(dice('amid') * 100),
    ...(dice('stop') < 0.3 ? [{ kind: 'crash', ...stop(dice) } as const] : []),
    wait(3 * SECOND_MS),
    push({ kind: 'all' }),
    wait(2 * SECOND_MS),
  ]
}
