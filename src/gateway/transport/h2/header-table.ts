/* The tables of HPACK (RFC 7541, 2.3). */

export interface HeaderField {
  readonly name: string
  /** Bytes as Latin-1. */
  readonly value: string
}

/** Overhead of an entry (RFC 7541, 4.1). */
export const ENTRY_BYTES = 32

/** Default of SETTINGS_HEADER_TABLE_SIZE (RFC 9113, 6.5.2). */
export const DEFAULT_TABLE_BYTES = 4096

/** RFC 7541, appendix A: index 1 is the first. */
export const STATIC_TABLE: readonly HeaderField[] = [
  [':authority'],
  [':method', 'GET'],
  [':method', 'POST'],
  [':path', '/'],
  [':path', '/index.html'],
  [':scheme', 'http'],
  [':scheme', 'https'],
  [':status', '200'],
  [':status', '204'],
  [':status', '206'],
  [':status', '304'],
  [':status', '400'],
  [':status', '404'],
  [':status', '500'],
  ['accept-charset'],
  ['accept-encoding', 'gzip, deflate'],
  ['accept-language'],
  ['accept-ranges'],
  ['accept'],
  ['access-control-allow-origin'],
  ['age'],
  ['allow'],
  ['authorization'],
  ['cache-control'],
  ['content-disposition'],
  ['content-encoding'],
  ['content-language'],
  ['content-length'],
  ['content-location'],
  ['content-range'],
  ['content-type'],
  ['cookie'],
  ['date'],
  ['etag'],
  ['expect'],
  ['expires'],
  ['from'],
  ['host'],
  ['if-match'],
  ['if-modified-since'],
  ['if-none-match'],
  ['if-range'],
  ['if-unmodified-since'],
  ['last-modified'],
  ['link'],
  ['location'],
  ['max-forwards'],
  ['proxy-authenticate'],
  ['proxy-authorization'],
  ['range'],
  ['referer'],
  ['refresh'],
  ['retry-after'],
  ['server'],
  ['set-cookie'],
  ['strict-transport-security'],
  ['transfer-encoding'],
  ['user-agent'],
  ['vary'],
  ['via'],
  ['www-authenticate'],
].map(([name = '', value = '']) => ({ name, value }))

/** As many of the smallest entries as fit into the largest table. */
const MAX_ENTRIES = DEFAULT_TABLE_BYTES / ENTRY_BYTES

/** Newest entry first; the oldest is evicted. */
export class DynamicTable {
  /** A ring: entry `n` is at `n % MAX_ENTRIES`. */
  readonly #entries: HeaderField[] = []
  #inserted = 0
  #evicted = 0
  #bytes = 0
  #maxBytes = DEFAULT_TABLE_BYTES
  #version = 0

  get maxBytes(): number {
    return this.#maxBytes
  }

  /** A block prepared for another version may name wrong entries. */
  get version(): number {
    return this.#version
  }

  /** By index in both tables (RFC 7541, 2.3.3). */
  at(index: number): HeaderField | undefined {
    if (index <= STATIC_TABLE.length) return STATIC_TABLE[index - 1]
    const nth = this.#inserted - (index - STATIC_TABLE.length)
    return nth < this.#evicted ? undefined : this.#entries[nth % MAX_ENTRIES]
  }

  /** The newest entry's index; 0: none. */
  find(fits: (entry: HeaderField) => boolean): number {
    for (let nth = this.#inserted - 1; nth >= this.#evicted; nth--) {
      const entry = this.#entries[nth % MAX_ENTRIES]
      if (entry !== undefined && fits(entry)) return STATIC_TABLE.length + this.#inserted - nth
    }
    return 0
  }

  /** An entry larger than the table empties it and is not added (RFC 7541, 4.4). */
  insert(entry: HeaderField): void {
    const bytes = bytesOf(entry)
    this.#version++
    this.#evict(this.#maxBytes - bytes)
    if (bytes > this.#maxBytes) return
    this.#entries[this.#inserted++ % MAX_ENTRIES] = entry
    this.#bytes += bytes
  }

  /** At most `DEFAULT_TABLE_BYTES`. */
  resize(maxBytes: number): void {
    this.#maxBytes = maxBytes
    this.#version++
    this.#evict(maxBytes)
  }

  #evict(bytes: number): void {
    while (this.#bytes > bytes && this.#evicted < this.#inserted) {
      const oldest = this.#entries[this.#evicted++ % MAX_ENTRIES]
      if (oldest !== undefined) this.#bytes -= bytesOf(oldest)
    }
  }
}

function bytesOf({ name, value }: HeaderField): number {
  return name.length + value.length + ENTRY_BYTES
}
