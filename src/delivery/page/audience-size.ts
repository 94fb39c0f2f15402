import type { OpenDelivery } from '../store/open-delivery.ts'

/** How many devices an audience has, as far as that is known: counted, or met on settled pages. */
export class AudienceSize {
  #addressed: number
  #isCounted: boolean
  /** Devices on settled pages. */
  #settled: number

  constructor({ addressed, settled }: Pick<OpenDelivery, 'addressed' | 'settled'>) {
    this.#addressed = addressed ?? 0
    this.#isCounted = addressed !== null
    this.#settled = settled
  }

  get isCounted(): boolean {
    return this.#isCounted
  }

  /** Devices in it, as far as known. */
  get addressed(): number {
    return this.#addressed
  }

  /** Whether the audience is counted, and has nobody. */
  get isEmpty(): boolean {
    return this.#isCounted && this.#addressed === 0
  }

  /** Devices on no settled page. */
  get unreached(): number {
    return Math.max(this.#addressed - this.#settled, 0)
  }

  /** Takes the count; gives by how much it is more than was known. */
  setCount(count: number): number {
    const more = Math.max(count - this.#addressed, 0)
    this.#addressed += more
    this.#isCounted = true
    return more
  }

  /** A page of so many recipients is settled; gives how many of them were not known. */
  settle(recipients: number): number {
    this.#settled += recipients
    const missed = Math.max(this.#settled - this.#addressed, 0)
    this.#addressed += missed
    return missed
  }
}
