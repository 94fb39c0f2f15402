import { pick, seededRandom } from '../support/chance.ts'

/** Random choices, the same for the same seed. */
export interface Dice {
  /** Inclusive. */
  whole(least: number, most: number): number
  happens(percent: number): boolean
  /** `items` must not be empty. */
  pick<Item>(items: readonly Item[]): Item
  bytes(count: number): Uint8Array
}

/** Whole numbers. Each turn has its own sequence. */
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
