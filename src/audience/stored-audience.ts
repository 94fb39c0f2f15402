import { storedJson } from '../database/damage.ts'
import type { Audience, Filter } from './filter.ts'

/**
 * The stored audience of a wave: not the filter, which may have 200 kB and is that of the whole push, but what the wave
 * has beside it, once it has gone out.
 */
export interface WaveAudience {
  /** The wave; the name is that of the stored JSON. */
  readonly turn: Pick<Filter, 'zones' | 'stayedSince' | 'asOf'>
}

/**
 * The last audience that was stored or read: a push goes out right after it is accepted, once for each platform. To
 * parse 10,000 users anew takes 1.5 ms.
 */
let last: { readonly stored: string; readonly audience: Audience } | null = null

/** An audience as it is stored. */
export function storedAudience(audience: Audience | WaveAudience): string {
  const stored = JSON.stringify(audience)
  if (!('turn' in audience)) last = { stored, audience }
  return stored
}

/** The audience of a push from its stored one, and from that of the whole push where it is a wave. */
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
