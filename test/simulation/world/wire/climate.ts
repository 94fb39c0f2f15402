import { pick } from '../../../support/chance.ts'
import type { Weather } from '../answers.ts'
import type { Cut } from './byte-stream.ts'

/** The traits of a connection. */
export interface Climate {
  readonly cut: Cut
  readonly maxDelayMs: number
  /** Of the first SETTINGS; `null`: no limit. */
  readonly maxStreams: number | null
  /** Of later SETTINGS, after this many ms. `null`: none. */
  readonly later: { readonly maxStreams: number; readonly afterMs: number } | null
  /** Of each stream, in bytes. */
  readonly windowBytes: number
  readonly tableBytes: number
  /** Requests before the mishap. */
  readonly mishapAfter: number
  readonly mishap: Mishap
}

/** `nonsense`: a frame that breaks the rules. */
export type Mishap =
  | 'parts'
  | 'parts in two steps'
  | 'parts with a word'
  | 'goes away with an error'
  | 'is cut'
  | 'ends'
  | 'stops reading'
  | 'allows fewer streams'
  | 'allows one stream until one is taken'
  | 'refuses a stream'
  | 'resets a stream'
  | 'talks nonsense'

export const MISHAPS: readonly Mishap[] = [
  'parts',
  'parts',
  'parts in two steps',
  'parts with a word',
  'goes away with an error',
  'is cut',
  'is cut',
  'ends',
  'stops reading',
  'stops reading',
  'allows fewer streams',
  'allows one stream until one is taken',
  'refuses a stream',
  'refuses a stream',
  'resets a stream',
  'talks nonsense',
]

const STREAM_LIMITS = [1, 2, 100, 100, 1000, null] as const

/** Without mishaps: scenes need it, and worlds end in it. */
const SETTLED: ReadonlySet<Weather> = new Set<Weather>(['fair', 'slow'])

export function isSettled(weather: Weather): boolean {
  return SETTLED.has(weather)
}

export function drawClimate(weather: Weather, random: () => number): Climate {
  const settled = isSettled(weather)
  const maxStreams = random() < 0.1 && !settled ? 0 : pick(STREAM_LIMITS, random())
  const changes = maxStreams === 0 || random() < 0.3
  return {
    cut: pick(['whole', 'pieces', 'pieces', 'bytes'] as const, random()),
    maxDelayMs: settled || random() < 0.4 ? 0 : random() * 20,
    maxStreams,
    later: changes ? { maxStreams: pick([1, 100, 1000], random()), afterMs: settled ? 5 : random() ** 2 * 4000 } : null,
    windowBytes: settled ? 65_535 : pick([65_535, 65_535, 40, 700], random()),
    tableBytes: pick([4096, 4096, 0, 65_536], random()),
    mishapAfter:
      random() < (weather === 'calm' ? 0.6 : 0.3) ? Number.POSITIVE_INFINITY : 1 + Math.floor(random() ** 2 * 12),
    mishap: pick(MISHAPS, random()),
  }
}

/** `refused` immediately, or `silent` until the client gives up. */
export function drawOpening(weather: Weather, random: () => number): 'open' | 'refused' | 'silent' {
  const dice = random()
  const refused = { away: 0.6, rough: 0.06, calm: 0.02 }[weather as string] ?? 0
  if (dice < refused) return 'refused'
  return weather === 'silent' && dice > 0.85 ? 'silent' : 'open'
}

/** Shares of push services with HTTP/1.1 only, and on some connections. */
const [ALWAYS_OLDER, SOMETIMES_OLDER] = [0.2, 0.15] as const

/** Whether a connection uses HTTP/1.1. `of`: drawn by origin, in [0, 1). */
export function speaksOlder(of: number, random: () => number): boolean {
  if (of < ALWAYS_OLDER) return true
  return of < ALWAYS_OLDER + SOMETIMES_OLDER && random() < 0.5
}
