import { storedJson } from '../database/damage.ts'
import type { Audience, Filter } from './filter.ts'

/** A wave stores only its own part: the push's filter may have 200 kB. */
export interface WaveAudience {
  /** The key in stored JSON. */
  readonly turn: Pick<Filter, 'zones' | 'stayedSince' | 'asOf'>
}

/** A push goes out right after it is accepted, once per platform; parsing 10,000 users takes 1.5 ms. */
let last: { readonly stored: string; readonly audience: Audience } | null = null

export function storedAudience(audience: Audience | WaveAudience): string {
  const stored = JSON.stringify(audience)
  if (!('turn' in audience)) last = { stored, audience }
  return stored
}

/** `whole`: the stored audience of the wave's push. */
export function audienceFrom(stored: string, whole: string | null): Audience {
  const own = parsed(stored)
  if (!('turn' in own)) return own
  const parent = whole === null ? null : parsed(whole)
  if (parent === null || !('filter' in parent)) throw new Error('a wave without its push')
  return { filter: { ...parent.filter, ...own.turn } }
}

function parsed(stored: string): Audience | WaveAudience {
  if (last?.stored === stored) return last.audience
  const audience = storedJson(stored) as Audience | WaveAudience
  if (!('turn' in audience)) last = { stored, audience }
  return audience
}
