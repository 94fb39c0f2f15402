import { isIP } from 'node:net'

/**
 * Counts connections that Bun's fetch opens of its own accord. For each to a host's name Bun looks the name up, if only
 * in its cache, and counts that, of the whole process; for one to an address it does not (both measured, 1.4.5).
 */
export class Lookups {
  #announced = 0
  #unannounced = 0

  /** A connection to a name is about to be opened. */
  announce(): void {
    this.#announced++
  }

  /** Connections so far that nobody had announced. It never falls: of those announced some are still to be looked up. */
  get unannounced(): number {
    this.#unannounced = Math.max(this.#unannounced, Bun.dns.getCacheStats().totalCount - this.#announced)
    return this.#unannounced
  }
}

/**
 * Requests in a row that may each have had a new connection. Others may open one at the same time, too, such as for a
 * webhook; hardly so at each of six.
 */
const MAX_STRAYED = 6

/**
 * Whether the connections of one transport end unseen, and are replaced: each of several requests in a row that found
 * nothing in flight had some connection opened that nobody had announced. Of a host without a name it is never known.
 */
export class Strays {
  readonly #lookups: Lookups
  readonly #isNamed: boolean
  #inARow = 0

  constructor(lookups: Lookups, origin: string) {
    this.#lookups = lookups
    this.#isNamed = isIP(new URL(origin).hostname.replaceAll(/[[\]]/g, '')) === 0
  }

  /** Whether the last request may have had a connection of its own. The next is to go alone, or many more might. */
  get isSuspected(): boolean {
    return this.#inARow > 0
  }

  /** To be taken before a request that finds nothing in flight, or goes alone, and weighed after its answer. */
  get count(): number {
    return this.#lookups.unannounced
  }

  /** Whether that makes too many in a row; they begin anew then. */
  weigh(countBefore: number): boolean {
    this.#inARow = this.count > countBefore ? this.#inARow + 1 : 0
    if (this.#inARow < MAX_STRAYED) return false
    this.#inARow = 0
    return true
  }

  /** The transport is about to open a connection. */
  announce(): void {
    if (this.#isNamed) this.#lookups.announce()
  }
}
