/**
 * A number in [0, 1), the same for the same seed and words. Not a sequence: requests reach the gateways in another
 * order on every run, and each must meet the same fate again.
 */
export function chance(seed: number, ...words: readonly (string | number)[]): number {
  return Number(Bun.hash.wyhash(words.join('/'), BigInt(seed)) >> 11n) / 2 ** 53
}

/** One of `items`, by chance. */
export function pick<Item>(items: readonly Item[], at: number): Item {
  const item = items[Math.floor(at * items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}
