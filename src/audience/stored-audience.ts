import type { Audience, Filter } from './filter.ts'
import { storedJson } from '../database/damage.ts'

/**
 * The stored audience of a wave: not the filter, which may have 200 kB and is that of the whole push, but what the wave
 * has beside it, once it has gone out.
 */
export interface WaveAudience {
  /** The wave; the name is that of the stored JSON. */
  readonly turn: Pick<Filter, 'zones' | 'stayedSince' | 'asOf'>
}

/** The audience of a push from its stored one, and from that of the whole push where it is a wave. */
export function audienceFrom(stored: string, whole: string | null): Audience {
  const own = storedJson(stored) as Audience | WaveAudience
  if (!('turn' in own)) return own
  const parent = whole === null ? null : (storedJson(whole) as Audience)
  if (parent === null || !('filter' in parent)) throw new Error('a wave without its push')
  return { filter: { ...parent.filter, ...own.turn } }
}
