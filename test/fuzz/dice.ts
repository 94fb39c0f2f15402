import { pick, seededRandom } from '../support/chance.ts'

/** A sequence of throws, the same for the same seed. */
export interface Dice {
  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number
  /** Whether something happens that happens `percent` times out of a hundred. */
  happens(percent: number): boolean
  /** One of `items`, of which there must be one. */
  pick<Item>(items: readonly Item[]): Item
  bytes(count: number): Uint8Array
}

/** `seed` and `turn` are whole numbers; each turn of a seed has a sequence of its own. */
export function diceOf(seed: number, turn: number): Dice {
  const next = seededRandom(Number(Bun.hash.wyhash(String(turn), BigInt(seed)) & 0xff_ff_ff_ffn))
  const dice: Dice = {
    whole: (least, most) => least + Math.floor(next() * (most - least + 1)),
    happens: (percent) => next() * 100 < percent,
    pick: (items) => pick(items, next()),
    bytes: (count) => Uint8Array.from({ length: count }, () => dice.whole(0, 255)),
  }
  return dice
}
