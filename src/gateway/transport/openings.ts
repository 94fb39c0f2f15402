/**
 * Connections that may be opening at once, of all credentials together: 300 handshakes at a time keep two cores busy for
 * two seconds, and each of them is late, at which fetch opens another one beside it: 383-401 connections for 300
 * credentials, and 2,400 at a load of 20. With 50 at a time there are 301 at a load of 8 (measured, 2026-11-22).
 */
const MAX_OPENING = 50

/** Lets connections of fetch open a few at a time, in the order they ask. */
export class Openings {
  #opening = 0
  readonly #line: (() => void)[] = []

  /** Calls `begin` when there is room, at once or later; then `leave` is owed. */
  enter(begin: () => void): void {
    if (this.#opening >= MAX_OPENING) {
      this.#line.push(begin)
      return
    }
    this.#opening++
    begin()
  }

  /** The connection is open, or is not waited for any longer. */
  leave(): void {
    const next = this.#line.shift()
    if (next === undefined) this.#opening--
    else next()
  }
}
