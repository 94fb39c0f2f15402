import { pickWeighted } from '../../support/chance.ts'

/** What the gateway does to a request that has come in full, instead of answering it in peace. */
export type Harm =
  /** RST_STREAM REFUSED_STREAM, unprocessed: the client may be sure that it was not. */
  | 'refuse'
  /** Processed, then RST_STREAM INTERNAL_ERROR. */
  | 'reset'
  /** Processed, and the answer is reset after its headers. */
  | 'break'
  /** Processed, and the connection is cut. */
  | 'cut'
  /** The connection is cut, unprocessed. */
  | 'cut-unprocessed'
  /** Processed, and the connection is cut in the middle of a frame of the answer. */
  | 'cut-in-frame'
  /** GOAWAY NO_ERROR; every request that has begun is processed and answered. */
  | 'goaway'
  /** GOAWAY NO_ERROR; requests above the last one processed never will be. */
  | 'goaway-tight'
  /** GOAWAY with the highest id there is, and the real one a moment later (RFC 9113, 6.8). */
  | 'goaway-twice'
  /** GOAWAY with an error; what was processed is not answered, the connection is closed. */
  | 'fail'
  /** As before, with the socket destroyed at once. */
  | 'fail-and-cut'
  /** Processed, and never answered. */
  | 'hang'

/** How often each comes, in relation to the others. */
const WEIGHTS: Readonly<Record<Harm, number>> = {
  refuse: 30,
  reset: 25,
  break: 15,
  cut: 8,
  'cut-unprocessed': 8,
  'cut-in-frame': 5,
  goaway: 10,
  'goaway-tight': 8,
  'goaway-twice': 5,
  fail: 5,
  'fail-and-cut': 5,
  // Each takes a request's whole deadline.
  hang: 1,
}

export const HARMS = Object.keys(WEIGHTS) as readonly Harm[]

/** One of `harms`. `random`: in [0, 1). */
export function drawHarm(harms: readonly Harm[], random: number): Harm {
  return pickWeighted(
    harms.map((harm) => [WEIGHTS[harm], harm] as const),
    random,
  )
}
