/** Numbers in [0, 1), one after the other; the same for the same `seed` (xorshift, 32 bits). */
export function randomNumbers(seed: number): () => number {
  let state = Math.floor(seed * 2 ** 32) | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
