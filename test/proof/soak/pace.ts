/** Lets so many requests go in a second, together: what is cut then has as much in flight as there may be. */
export class Pace {
  readonly #perSecond: number
  #left: number
  #line: (() => void)[] = []

  constructor(perSecond: number) {
    this.#perSecond = perSecond
    this.#left = perSecond
  }

  turn(): Promise<void> {
    if (this.#left >= 1) {
      this.#left--
      return Promise.resolve()
    }
    return new Promise((resolve) => this.#line.push(resolve))
  }

  /** Another second has begun. What was left of the one before is not made up for. */
  second(): void {
    this.#left = (this.#left % 1) + this.#perSecond
    while (this.#left >= 1 && this.#line.length > 0) {
      this.#left--
      this.#line.shift()?.()
    }
  }
}
