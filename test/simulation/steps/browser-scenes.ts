import { MINUTE_MS, SECOND_MS } from '../../../src/clock.ts'
import { pick } from '../../support/chance.ts'
import { PUSH_SERVICE_NAMES } from '../world/browsers.ts'
import { comes, fair, push, wait } from './scene-parts.ts'
import type { Dice } from './scene-parts.ts'
import { BROWSERS, OWN_BROWSERS } from './step.ts'
import type { Step } from './step.ts'

/* Rare combinations at push services, each with its own window and pause. */

export const BROWSER_SCENES: readonly ((dice: Dice) => Step[])[] = [oneRests, otherKeysInRest, manyAfterStart]

/** A crowd of browsers, four at each push service. */
const CROWD = Array.from({ length: 12 }, (_, n) => BROWSERS + OWN_BROWSERS + n)

/** One push service rests, the others continue. */
function oneRests(dice: Dice): Step[] {
  const service = pick(PUSH_SERVICE_NAMES, dice('service'))
  return [
    ...allFair(),
    ...CROWD.map((phone) => comes(phone)),
    wait(MINUTE_MS),
    { kind: 'weather', gateway: service, weather: 'busy' },
    toAll(),
    wait(2 * SECOND_MS),
    // It rests by now.
    toAll(),
    wait(4 * SECOND_MS),
    { kind: 'others-served', service },
    fair(service),
    wait(dice('after') * MINUTE_MS),
  ]
}

/** Browsers subscribe anew while pushes for them wait. */
function otherKeysInRest(dice: Dice): Step[] {
  const service = pick(PUSH_SERVICE_NAMES, dice('service'))
  return [
    ...allFair(),
    ...CROWD.map((phone) => comes(phone)),
    wait(SECOND_MS),
    { kind: 'weather', gateway: service, weather: dice('how') < 0.5 ? 'busy' : 'slow' },
    toAll(),
    wait(dice('amid') * 3 * SECOND_MS),
    ...CROWD.map((phone) => comes(phone, { pair: 1 })),
    fair(service),
    wait(MINUTE_MS),
  ]
}

/** After a start no push service is proven. */
function manyAfterStart(dice: Dice): Step[] {
  return [
    ...CROWD.map((phone) => comes(phone)),
    wait(SECOND_MS),
    { kind: 'restart' },
    { kind: 'weather', gateway: pick(PUSH_SERVICE_NAMES, dice('service')), weather: 'slow' },
    toAll(),
    wait(dice('after') * 5 * SECOND_MS),
  ]
}

const allFair = () => PUSH_SERVICE_NAMES.map(fair)
const toAll = () => push({ kind: 'all' }, { badge: '+1' })
