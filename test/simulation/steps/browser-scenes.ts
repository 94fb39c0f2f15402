import { MINUTE_MS, SECOND_MS } from '../../../src/clock.ts'
import { pick } from '../../support/chance.ts'
import { PUSH_SERVICE_NAMES } from '../world/browsers.ts'
import { comes, fair, push, wait } from './scene-parts.ts'
import type { Dice } from './scene-parts.ts'
import { BROWSERS, OWN_BROWSERS } from './step.ts'
import type { Step } from './step.ts'

/* What chance alone would seldom bring about with push services, of which each has a window and a pause of its own. */

export const BROWSER_SCENES: readonly ((dice: Dice) => Step[])[] = [oneRests, otherKeysInRest, manyAfterStart]

/** Browsers of a crowd: four at each push service. */
const CROWD = Array.from({ length: 12 }, (_, n) => BROWSERS + OWN_BROWSERS + n)

/** One push service asks for a rest, and the others go on. */
function oneRests(dice: Dice): Step[] {
  const service = pick(PUSH_SERVICE_NAMES, dice('service'))
  return [
    ...allFair(),
    ...CROWD.map((phone) => comes(phone)),
    wait(MINUTE_MS),
    { kind: 'weather', gateway: service, weather: 'busy' },
    toAll(),
    wait(2 * SECOND_MS),
    // By now it rests.
    toAll(),
    wait(4 * SECOND_MS),
    { kind: 'others-served', service },
    fair(service),
    wait(dice('after') * MINUTE_MS),
  ]
}

/** Browsers subscribe anew while what is for them waits. */
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

/** After a start no push service is known to be well. */
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
