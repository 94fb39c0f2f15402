import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/clock.ts'
import { chance, pick, pickWeighted } from '../../support/chance.ts'
import { WEATHERS } from '../world/answers.ts'
import { BROWSER_SCENES } from './browser-scenes.ts'
import { drawLife } from './draw-life.ts'
import type { Dice } from './scene-parts.ts'
import { RARE_SCENES, SCENES } from './scenes.ts'
import { KEY_PAIRS, PUSH_SERVICE_NAMES } from '../world/browsers.ts'
import type { Whose } from '../world/gateways.ts'
import { BROWSERS, NEIGHBOURS, OWN_BROWSERS, PHONES, PLACES, TAGS, ZONES } from './step.ts'
import type { Place, PushStep, Step, Target } from './step.ts'

/** The phones of a step: an application's own, the neighbour's, or browsers. */
interface Party {
  readonly whose: Whose
  readonly first: number
  readonly count: number
}

const OWN: Party = { whose: 0, first: 0, count: PHONES }
const NEIGHBOURING: Party = { whose: 1, first: NEIGHBOURS, count: PHONES }
const BROWSING: Party = { whose: 0, first: BROWSERS, count: OWN_BROWSERS }

/** Just before clocks change, or rare dates. */
const STARTS = [
  Date.UTC(2026, 2, 29, 0, 58),
  Date.UTC(2026, 9, 25, 0, 58),
  Date.UTC(2026, 10, 1, 5, 58),
  Date.UTC(2027, 11, 31, 23, 58),
  Date.UTC(2028, 1, 28, 23, 58),
  Date.UTC(2028, 1, 29, 23, 58),
  Date.UTC(2026, 10, 22, 12),
]

/** In ms since the Unix epoch. */
export function startOf(seed: number): number {
  return pick(STARTS, chance(seed, 'start'))
}

/** Everything that happens in a seed's world, in order. */
export function drawSteps(seed: number): Step[] {
  const count = 6 + Math.floor(chance(seed, 'count') * 20)
  const phones = Array.from({ length: 2 + Math.floor(chance(seed, 'phones') * 5) }, (_, n) => n)
  const hasNeighbour = chance(seed, 'neighbour') < 0.3
  const neighbours = hasNeighbour ? [NEIGHBOURS, NEIGHBOURS + 1, NEIGHBOURS + 2] : []
  const hasBrowsers = chance(seed, 'browser') < 0.25
  const ownBrowsers = Array.from({ length: 3 + Math.floor(chance(seed, 'browsers') * 4) }, (_, n) => BROWSERS + n)
  const browsers = hasBrowsers ? ownBrowsers : []
  const first = [...phones, ...neighbours, ...browsers].map((phone): Step => ({
    kind: 'register',
    phone,
    tags: tagsOf((word) => chance(seed, 'first', phone, word)),
    zone: pick(ZONES, chance(seed, 'first', phone, 'zone')),
  }))
  const drawn = Array.from({ length: count }, (_, n) => {
    const isNeighbours = hasNeighbour && chance(seed, 'step', n, 'whose') < 0.3
    const isBrowsers = hasBrowsers && chance(seed, 'step', n, 'browser') < 0.35
    return drawStep((word) => chance(seed, 'step', n, word), isBrowsers ? BROWSING : isNeighbours ? NEIGHBOURING : OWN)
  })
  const scene = chance(seed, 'scene') < 0.6 ? pick(SCENES, chance(seed, 'which')) : () => []
  const played = scene((word) => chance(seed, 'scene', word))
  const rest = drawn.toSpliced(Math.floor(chance(seed, 'when') * count), 0, ...played)
  // Leaves the other steps unchanged.
  const rare = chance(seed, 'rare') < 0.2 ? pick(RARE_SCENES, chance(seed, 'which rare')) : () => []
  const lived = [...first, { kind: 'pass', ms: 50 } as const, ...rest, ...rare((word) => chance(seed, 'rare', word))]
  // Also.
  const hasLife = chance(seed, 'life') < 0.5
  const steps = hasLife ? drawLife((word) => chance(seed, 'life', word), lived) : lived
  if (!hasBrowsers) return steps
  // A command gives the application a key for browsers, and the service notices.
  const key: Step[] = [
    { kind: 'credential', whose: 0, gateway: 'webpush' },
    { kind: 'pass', ms: 1100 },
  ]
  const last =
    chance(seed, 'browser scene') < 0.5 ? pick(BROWSER_SCENES, chance(seed, 'which browser scene')) : () => []
  return [...key, ...steps, ...last((word) => chance(seed, 'browser scene', word))]
}

function drawStep(dice: Dice, party: Party): Step {
  const { whose } = party
  const isBrowsers = party === BROWSING
  const phone = drawPhone(dice, party)
  const push = Math.floor(dice('which') * 8)
  const kinds: readonly [weight: number, make: () => Step][] = [
    [20, () => ({ kind: 'pass', ms: drawTime(dice) })],
    [16, () => drawPush(dice, party)],
    [
      5,
      () => ({
        kind: 'register',
        phone,
        tags: tagsOf(dice),
        zone: pick(ZONES, dice('zone')),
        ...(isBrowsers && { pair: Math.floor(dice('pair') * KEY_PAIRS) }),
      }),
    ],
    [2, () => ({ kind: 'unregister', phone })],
    [2, () => ({ kind: dice('un') < 0.5 ? 'tag' : 'untag', phone, tag: pick(TAGS, dice('tag')) })],
    [1, () => ({ kind: 'alias', phone, alias: pick(['', 'anna', 'ben'], dice('alias')) })],
    [2, () => ({ kind: 'badge', phone, count: Math.floor(dice('badge') * 10) })],
    [2, () => ({ kind: 'again', push })],
    [3, () => ({ kind: 'cancel', push })],
    [2, () => ({ kind: 'status', push })],
    [3, () => ({ kind: 'fate', phone, state: dice('state') < 0.7 ? 'gone' : 'bad' })],
    [
      5,
      () => ({
        kind: 'weather',
        gateway: isBrowsers ? pick(PUSH_SERVICE_NAMES, dice('gateway')) : dice('gateway') < 0.5 ? 'apns' : 'fcm',
        weather: pick(WEATHERS, dice('weather')),
      }),
    ],
    [1, () => ({ kind: 'receiver', mood: pick(['well', 'flaky', 'away', 'unwilling'] as const, dice('mood')) })],
    [2, () => ({ kind: 'open', push, phone })],
    [3, () => ({ kind: 'crash', downMs: drawDown(dice) })],
    [1, () => ({ kind: 'disk-fails' })],
    [1, () => ({ kind: 'restart' })],
    [1, () => ({ kind: 'jump', byMs: drawJump(dice) })],
    [1, () => ({ kind: 'stand-still', ms: drawDown(dice) })],
    [1, () => ({ kind: 'spend' })],
    [2, () => ({ kind: 'geo', phone, place: drawPlace(dice) })],
    [
      1,
      () => ({
        kind: 'credential',
        whose,
        gateway: isBrowsers ? 'webpush' : dice('gateway') < 0.7 ? 'apns' : 'fcm',
      }),
    ],
  ]
  return pickWeighted(kinds, dice('kind'))()
}

function drawPush(dice: Dice, party: Party): PushStep {
  const { whose } = party
  const at = dice('when')
  const to = drawTarget(dice, party)
  return {
    kind: 'push',
    ...(whose === 1 && { by: whose }),
    to,
    badge: pick(['', '+1', '+1', '5'], dice('badge')),
    ttl: dice('ttl') < 0.1 ? 5 + Math.floor(dice('seconds') * 60) : null,
    when:
      at < 0.75
        ? { kind: 'now' }
        : at < 0.9 || to.kind === 'one'
          ? { kind: 'in', seconds: Math.ceil(dice('in') * 20) }
          : { kind: 'local', minutes: Math.floor(dice('local') * 4) - 1 },
    keyed: dice('keyed') < 0.3,
  }
}

function drawTarget(dice: Dice, party: Party): Target {
  const at = dice('to')
  if (at < 0.4) return { kind: 'all' }
  if (at < 0.6) return { kind: 'tag', tag: pick(TAGS, dice('tag')) }
  if (at < 0.65) return { kind: 'near', place: drawPlace(dice) }
  if (at < 0.73) return { kind: 'any', tags: ['red', 'blue'] }
  return { kind: 'one', phone: drawPhone(dice, party) }
}

function drawPlace(dice: Dice): Place {
  return pick(Object.keys(PLACES) as Place[], dice('place'))
}

function drawPhone(dice: Dice, { first, count }: Party): number {
  return first + Math.floor(dice('phone') * count)
}

/** Mostly fractions of a second with everything under way, sometimes until everything has finished. */
function drawTime(dice: Dice): number {
  const at = dice('long')
  if (at < 0.6) return Math.ceil(dice('ms') * 60)
  if (at < 0.9) return Math.ceil(dice('ms') * 3 * SECOND_MS)
  return Math.ceil(dice('ms') * 20 * SECOND_MS)
}

function drawDown(dice: Dice): number {
  const at = dice('down')
  if (at < 0.6) return Math.floor(dice('ms') * 2 * SECOND_MS)
  return Math.floor(dice('ms') * pick([20 * MINUTE_MS, 3 * HOUR_MS, 2 * DAY_MS], dice('unit')))
}

function drawJump(dice: Dice): number {
  const by = Math.floor(dice('ms') * pick([2 * SECOND_MS, 10 * MINUTE_MS, HOUR_MS, DAY_MS], dice('unit')))
  return dice('back') < 0.5 ? -by : by
}

function tagsOf(dice: Dice): string[] {
  return TAGS.filter((tag) => dice(tag) < 0.4)
}
