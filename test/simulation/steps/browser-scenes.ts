import { MINUTE_MS, SECOND_MS } from '../../../src/clock.ts'
import { pick } from '../../faults/stage/chance.ts'
import { PUSH_SERVICE_NAMES } from '../world/browsers.ts'
import { BROWSERS, OWN_BROWSERS } from './step.ts'
import type { PushStep, Step } from './step.ts'

/* What chance alone would seldom bring about with push services, of which each has a window and a pause of its own. */

/** In [0, 1); another one for each word. */
type Dice = (word: string) => number

export const BROWSER_SCENES: readonly ((dice: Dice) => Step[])[] = [oneRests, otherKeysInRest, manyAfterStart]

/** Browsers of a crowd: four at each push service. */
const CROWD = Array.from({ length: 12 }, (_, n) => BROWSERS + OWN_BROWSERS + n)

/** One push service asks for a rest, and the others go on. */
function oneRests(dice: Dice): Step[] {
  const service = pick(PUSH_SERVICE_NAMES, dice('service'))
  return [
    ...allFair(),
    ...CROWD.map(comes),
    wait(MINUTE_MS),
    { kind: 'weather', gateway: service, weather: 'busy' },
    toAll(),
    wait(2 * SECOND_MS),
    // By now it rests.
    toAll(),
    wait(4 * SECOND_MS),
    { kind: 'others-served', service },
    { kind: 'weather', gateway: service, weather: 'fair' },
    wait(dice('after') * MINUTE_MS),
  ]
}

/** Browsers subscribe anew while what is for them waits. */
function otherKeysInRest(dice: Dice): Step[] {
  const service = pick(PUSH_SERVICE_NAMES, dice('service'))
  return [
    ...allFair(),
    ...CROWD.map(comes),
    wait(SECOND_MS),
    { kind: 'weather', gateway: service, weather: dice('how') < 0.5 ? 'busy' : 'slow' },
    toAll(),
    wait(dice('amid') * 3 * SECOND_MS),
    ...CROWD.map((phone): Step => ({ kind: 'register', phone, tags: [], zone: '', pair: 1 })),
    { kind: 'weather', gateway: service, weather: 'fair' },
    wait(MINUTE_MS),
  ]
}

/** After a start no push service is known to be well. */
function manyAfterStart(dice: Dice): Step[] {
  return [
    ...CROWD.map(comes),
    wait(SECOND_MS),
    { kind: 'restart' },
    { kind: 'weather', gateway: pick(PUSH_SERVICE_NAMES, dice('service')), weather: 'slow' },
    toAll(),
    wait(dice('after') * 5 * SECOND_MS),
  ]
}

const allFair = () => PUSH_SERVICE_NAMES.map((gateway): Step => ({ kind: 'weather', gateway, weather: 'fair' }))
const comes = (phone: number): Step => ({ kind: 'register', phone, tags: [], zone: '' })
const toAll = (): PushStep => ({
  kind: 'push',
  to: { kind: 'all' },
  badge: '+1',
  ttl: null,
  when: { kind: 'now' },
  keyed: false,
})
const wait = (ms: number): Step => ({ kind: 'pass', ms: Math.ceil(ms) })
