/**
 * A number in [0, 1), the same for the same seed and words. Not a sequence: requests reach the gateways in another
 * order on every run, and each must meet the same fate again.
 */
export function chance(seed: number, ...words: readonly (string | number)[]): number {
  return Number(Bun.hash.wyhash(words.join('/'), BigInt(seed)) >> 11n) / 2 ** 53
}

/** One of `items`. `at`: in [0, 1). */
export function pick<Item>(items: readonly Item[], at: number): Item {
  const item = items[Math.floor(at * items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

/** One of `items`, each as often as its weight says. `at`: in [0, 1). */
export function pickWeighted<Item>(items: readonly (readonly [weight: number, item: Item])[], at: number): Item {
  let rest = at * items.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, item] of items) {
    if (rest < weight) return item
    rest -= weight
  }
  throw new Error('nothing to pick from')
}

/** Numbers in [0, 1), one after the other, the same for the same seed (mulberry32 by Tommy Ettinger, public domain). */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
