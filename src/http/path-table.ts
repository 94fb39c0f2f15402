/**
 * What is known of each path: of one as it stands, and of patterns such as `/push/:id`, in which `:id` is any one
 * segment. Paths are compared as they are sent; what a parameter says is decoded once, by the router.
 */
export class PathTable<T> {
  readonly #exact = new Map<string, T>()
  #patterns: { readonly segments: readonly string[]; readonly rank: string; readonly entry: T }[] = []

  set(path: string, entry: T): void {
    if (!path.includes('/:')) {
      this.#exact.set(path, entry)
      return
    }
    const segments = path.split('/')
    const rank = segments.map((segment) => (isParameter(segment) ? '1' : '0')).join('')
    this.#patterns.push({ segments, rank, entry })
    // Where two match, the one whose first difference is literal comes first, as in the router.
    this.#patterns.sort((a, b) => (a.rank < b.rank ? -1 : 1))
  }

  /** The entry of a path: that of itself, else that of the closest pattern; `null` where there is none. */
  find(path: string): T | null {
    const exact = this.#exact.get(path)
    if (exact !== undefined) return exact
    const given = path.split('/')
    return this.#patterns.find(({ segments }) => matches(segments, given))?.entry ?? null
  }
}

/** The path of an absolute URL, without a URL parse on every call: the host in it may be none. */
export function pathOf(url: string): string {
  const from = url.indexOf('/', url.indexOf('://') + 3)
  const query = url.indexOf('?', from)
  return query === -1 ? url.slice(from) : url.slice(from, query)
}

function matches(segments: readonly string[], given: readonly string[]): boolean {
  if (segments.length !== given.length) return false
  return segments.every((segment, at) => (isParameter(segment) ? isValue(given[at]) : segment === given[at]))
}

/** What cannot be decoded names nothing; the router would hand on `null` for it. */
function isValue(given = ''): boolean {
  if (!given.includes('%')) return given !== ''
  try {
    decodeURIComponent(given)
    return true
  } catch (error) {
    if (error instanceof URIError) return false
    throw error
  }
}

function isParameter(segment: string): boolean {
  return segment.startsWith(':')
}
