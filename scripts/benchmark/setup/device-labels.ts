/** Of every device set, whatever its size. */
const RARE_DEVICES = 1000

/** The token of device `n`: 64 hex digits, spread like real ones. */
export function tokenOf(n: number): string {
  return new Bun.CryptoHasher('sha256').update(String(n)).digest('hex')
}

/**
 * The three tags of device `n` of `count`, in the order of their names: `rare` for 1,000 of all, evenly spread, else
 * `common`; `group-0` to `group-49`; `segment-0` to `segment-999`. `count`: a multiple of 1,000.
 */
export function tagsOf(n: number, count: number): readonly [string, string, string] {
  const stride = count / RARE_DEVICES
  // One in each stride, a different place each time: else all of them would be of one segment.
  const stretch = Math.floor(n / stride)
  const rare = n - stretch * stride === stretch % stride
  return [rare ? 'rare' : 'common', `group-${n % 50}`, `segment-${n % 1000}`].toSorted() as [string, string, string]
}

/** What of a conditional push the bench uses, as it stands in the body. */
export interface TagFilter {
  readonly tags: readonly string[]
  readonly tags_match?: 'any' | 'all'
  readonly except_tags?: readonly string[]
}

/** How many of `count` devices a filter addresses: by going through all of them, so that it shares no cleverness. */
export function audienceSize(filter: TagFilter, count: number): number {
  let size = 0
  for (let n = 0; n < count; n++) if (matches(filter, tagsOf(n, count))) size++
  return size
}

function matches({ tags, tags_match = 'any', except_tags = [] }: TagFilter, has: readonly string[]): boolean {
  const wanted = tags_match === 'any' ? tags.some((tag) => has.includes(tag)) : tags.every((tag) => has.includes(tag))
  return wanted && !except_tags.some((tag) => has.includes(tag))
}
