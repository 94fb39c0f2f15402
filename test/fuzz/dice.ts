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
  // Mulberry32 (Tommy Ettinger, public domain): 32 bits a throw, which is enough for choices.
  let state = Number(Bun.hash.wyhash(String(turn), BigInt(seed)) & 0xff_ff_ff_ffn)
  const next = () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const dice: Dice = {
    whole: (least, most) => least + Math.floor(next() * (most - least + 1)),
    happens: (percent) => next() * 100 < percent,
    pick(items) {
      const item = items[dice.whole(0, items.length - 1)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
    bytes: (count) => Uint8Array.from({ length: count }, () => dice.whole(0, 255)),
  }
  return dice
}
