import type { Gateway } from '../faults/gateways/gateway.ts'
import type { Plan } from '../faults/gateways/plan.ts'
import { chance } from '../faults/stage/chance.ts'

/** What gateways do on a usual day: of a hundred requests two fail at first, and seldom a connection breaks. */
export function usualWeather(seed: number): Plan {
  return ({ token, text, attempt }) => {
    if (attempt > 1) return null
    const at = chance(seed, 'weather', token, String(text))
    if (at < 0.01) return { kind: 'refuse', as: 503 }
    if (at < 0.015) return { kind: 'refuse', as: 'throttled' }
    if (at < 0.019) return { kind: 'reset', code: 2, taken: false }
    if (at < 0.0195) return { kind: 'farewell', half: true }
    if (at < 0.0197) return { kind: 'cut', midAnswer: true, taken: true }
    return null
  }
}

/** Nobody is behind the address of a gateway for `ms` milliseconds. */
export async function outage(gateway: Gateway, ms: number): Promise<void> {
  gateway.turn('close')
  await Bun.sleep(ms)
  gateway.turn('usual')
}
