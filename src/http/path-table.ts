/** Compares paths as sent; the router decodes parameters. `/:id/*` has any rest. */
export class PathTable<T> {
  readonly #exact = new Map<string, T>()
  #patterns: { readonly segments: readonly string[]; readonly rank: string; readonly entry: T }[] = []

  set(path: string, entry: T): void {
    if (!path.includes('/:')) {
      this.#exact.set(path, entry)
      return
    }
    const segments = path.split('/')
    const rank = segments.map((segment) => (segment === '*' ? '2' : isParameter(segment) ? '1' : '0')).join('')
    this.#patterns.push({ segments, rank, entry })
    // As in the router, literal segments take precedence.
    this.#patterns.sort((a, b) => (a.rank < b.rank ? -1 : 1))
  }

  find(path: string): T | null {
    const exact = this.#exact.get(path)
    if (exact !== undefined) return exact
    const given = path.split('/')
    return this.#patterns.find(({ segments }) => matches(segments, given))?.entry ?? null
  }
}

/** The host may be invalid. Faster than parsing the URL. */
export function pathOf(url: string): string {
  const from = url.indexOf('/', url.indexOf('://') + 3)
  const query = url.indexOf('?', from)
  return query === -1 ? url.slice(from) : url.slice(from, query)
}

function matches(segments: readonly string[], given: readonly string[]): boolean {
  const isRest = segments.at(-1) === '*'
  if (isRest ? given.length < segments.length : given.length !== segments.length) return false
  return segments.every(
    (segment, at) => segment === '*' || (isParameter(segment) ? isValue(given[at]) : segment === given[at]),
  )
}

function isValue(given = ''): boolean {
  return given !== '' && isDecodable(given)
}

/** The router would pass `null` for what is not. */
export function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true
  try {
    decodeURIComponent(path)
    return true
  } catch (error) {
    if (error instanceof URIError) return false
    throw error
  }
}

function isParameter(segment: string): boolean {
  return segment.startsWith(':')
}
