import { SECOND_MS } from '../../../src/clock.ts'
import { pick } from '../../support/chance.ts'
import type { Sky } from '../world/gateways.ts'
import type { PushStep, Step, Target } from './step.ts'

/** In [0, 1), different for each word. */
export type Dice = (word: string) => number

/** Apple's and Google's, both present from the start. */
export const FIRST_PHONES = [0, 1] as const

export const GATEWAYS = ['apns', 'fcm'] as const

/** The last push: see `Step`. */
export const LAST = -1

export function either(dice: Dice): { readonly phone: 0 | 1; readonly gateway: (typeof GATEWAYS)[number] } {
  const phone = pick(FIRST_PHONES, dice('phone'))
  return { phone, gateway: GATEWAYS[phone] }
}

export function comes(phone: number, more: { user?: string; locale?: string; moves?: 'adopts'; pair?: number } = {}) {
  return { kind: 'register', phone, tags: [], zone: '', ...more } as const
}

export function push(to: Target, more: Partial<PushStep> = {}): PushStep {
  return { kind: 'push', to, badge: '', ttl: null, when: { kind: 'now' }, keyed: false, ...more }
}

export function stop(dice: Dice): { readonly downMs: number } {
  return { downMs: Math.floor(dice('down') * SECOND_MS) }
}

export const fair = (gateway: Sky): Step => ({ kind: 'weather', gateway, weather: 'fair' })
export const wait = (ms: number): Step => ({ kind: 'pass', ms: Math.ceil(ms) })
