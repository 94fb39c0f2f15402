import { pickWeighted } from '../../support/chance.ts'

/** What the gateway does to a complete request. */
export type Harm =
  /** RST_STREAM REFUSED_STREAM: not processed, and the client knows. */
  | 'refuse'
  /** Processed, then RST_STREAM INTERNAL_ERROR. */
  | 'reset'
  /** Processed; the answer is reset after its headers. */
  | 'break'
  /** Processed; the connection is cut. */
  | 'cut'
  /** Not processed; the connection is cut. */
  | 'cut-unprocessed'
  /** Processed; the connection is cut inside a frame of the answer. */
  | 'cut-in-frame'
  /** GOAWAY NO_ERROR; all begun requests are answered. */
  | 'goaway'
  /** GOAWAY NO_ERROR; requests above the last processed one never are. */
  | 'goaway-tight'
  /** GOAWAY with the highest possible id, then the real one (RFC 9113, 6.8). */
  | 'goaway-twice'
  /** GOAWAY with an error; processed requests get no answer, and the connection closes. */
  | 'fail'
  /** The same, with the socket destroyed. */
  | 'fail-and-cut'
  /** Processed, never answered. */
  | 'hang'

/** Relative frequencies. */
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
  // Takes a whole deadline.
  hang: 1,
}

export const HARMS = Object.keys(WEIGHTS) as readonly Harm[]

/** `random`: in [0, 1). */
export function drawHarm(harms: readonly Harm[], random: number): Harm {
  return pickWeighted(
    harms.map((harm) => [WEIGHTS[harm], harm] as const),
    random,
  )
}
