/** In every device set, whatever its size. */
const RARE_DEVICES = 1000

/** Token of device `n`: 64 hex digits, spread like real ones. */
export function tokenOf(n: number): string {
  return new Bun.CryptoHasher('sha256').update(String(n)).digest('hex')
}

/**
 * Sorted tags of device `n` of `count`, a multiple of 1,000: `rare` for 1,000 evenly spread devices, otherwise
 * `common`; `group-0` to `group-49`; `segment-0` to `segment-999`.
 */
export function tagsOf(n: number, count: number): readonly [string, string, string] {
  const stride = count / RARE_DEVICES
  // One in each stride, at varying places: otherwise all of them would share a segment.
  const stretch = Math.floor(n / stride)
  const rare = n - stretch * stride === stretch % stride
  return [rare ? 'rare' : 'common', `group-${n % 50}`, `segment-${n % 1000}`].toSorted() as [string, string, string]
}

/** Tag filter of a push body. */
export interface TagFilter {
  readonly tags: readonly string[]
  readonly tags_match?: 'any' | 'all'
  readonly except_tags?: readonly string[]
}

/** Devices that a filter addresses, counted one by one. */
export function audienceSize(filter: TagFilter, count: number): number {
  let size = 0
  for (let n = 0; n < count; n++) if (matches(filter, tagsOf(n, count))) size++
  return size
}

function matches({ tags, tags_match = 'any', except_tags = [] }: TagFilter, has: readonly string[]): boolean {
  const wanted = tags_match === 'any' ? tags.some((tag) => has.includes(tag)) : tags.every((tag) => has.includes(tag))
  return wanted && !except_tags.some((tag) => has.includes(tag))
}
