import type { Dice } from './dice.ts'
import { messageOf, plainMessage } from './message.ts'
import type { KnownCall } from './message.ts'

/** What one client sends on one connection. */
export interface Conversation {
  readonly pieces: readonly Piece[]
  /** After the last piece: reads to the end, half-closes, or resets. */
  readonly end: 'reads' | 'half-closes' | 'resets'
  /** Answers that must come if everything sent was valid. `null`: any number. */
  readonly owed: number | null
}

export interface Piece {
  readonly bytes: Uint8Array
  /** Before it, in ms. */
  readonly pauseMs: number
}

/** Slowest client, in ms between pieces. */
const MOST_PAUSE_MS = 10

/** One in ten is valid, and shows the effect of the others. */
export function conversationOf(dice: Dice, calls: readonly KnownCall[]): Conversation {
  if (dice.happens(10)) {
    const said = plainMessage(dice.pick(calls))
    return { pieces: inPieces(dice, said), end: 'reads', owed: 1 }
  }
  const messages = Array.from({ length: dice.happens(15) ? dice.whole(2, 20) : 1 }, () =>
    dice.happens(3) ? dice.bytes(dice.whole(1, 3000)) : messageOf(dice, dice.pick(calls)),
  )
  const whole = Buffer.concat(messages)
  const said = dice.happens(20) ? whole.subarray(0, dice.whole(0, whole.length)) : whole
  return { pieces: inPieces(dice, said), end: dice.pick(['reads', 'reads', 'half-closes', 'resets']), owed: null }
}

/** In one piece, a few, or many small ones. */
function inPieces(dice: Dice, said: Uint8Array): readonly Piece[] {
  const most = dice.pick([said.length, said.length, Math.ceil(said.length / 5), 7]) || 1
  const isSlow = dice.happens(30)
  const pieces: Piece[] = []
  for (let at = 0; at < said.length;) {
    // No client sends for minutes.
    const size = pieces.length < 60 ? dice.whole(1, most) : said.length
    pieces.push({
      bytes: said.subarray(at, at + size),
      pauseMs: isSlow && at > 0 ? dice.whole(0, MOST_PAUSE_MS) : 0,
    })
    at += size
  }
  return pieces
}
