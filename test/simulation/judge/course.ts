import { ALLOWANCE } from './allowance.ts'
import type { Phone } from './phones.ts'
import type { Push, Send } from './pushes.ts'

export interface Clocks {
  /** The machine's clock, in ms since the Unix epoch. */
  readonly now: () => number
  /** `WorldClock.passedMs`. */
  readonly passedMs: () => number
  /** The current run of the service. */
  readonly life: () => number
  /** `WorldClock.ranBefore`. */
  readonly ranBefore: (ms: number) => number
}

/** The time and the accidents of a world. Times are `WorldClock.passedMs`. */
export class Course {
  readonly #clocks: Clocks
  /** By run that died: what it heard after this time may not be stored. */
  readonly #unwrittenFrom = new Map<number, number>()
  #disturbedAt = Number.NEGATIVE_INFINITY
  #setBackAt = Number.NEGATIVE_INFINITY
  #grantedAt = Number.NEGATIVE_INFINITY

  constructor(clocks: Clocks) {
    this.#clocks = clocks
  }

  /** The machine's clock, in ms since the Unix epoch. */
  get now(): number {
    return this.#clocks.now()
  }

  get passedMs(): number {
    return this.#clocks.passedMs()
  }

  /** The current run of the service. */
  get life(): number {
    return this.#clocks.life()
  }

  /** When the clock was last set, or the process stopped. */
  get disturbedAt(): number {
    return this.#disturbedAt
  }

  /**
   * Whether a phone may get a push by local time in two zones. If the clock was put back, nobody knows whether the
   * phone moved before the first wave. If it came anew in another zone, it is another device.
   */
  mayBeInTwoWaves({ step, askedAt }: Push, { changedAt, anewAt }: Phone): boolean {
    if (step.when.kind !== 'local' || changedAt < askedAt) return false
    return this.#setBackAt >= askedAt || anewAt >= askedAt
  }

  /** The last answer of Google's token endpoint. */
  get grantedAt(): number {
    return this.#grantedAt
  }

  ranBefore(ms: number): number {
    return this.#clocks.ranBefore(ms)
  }

  disturbed(): void {
    this.#disturbedAt = this.passedMs
  }

  setBack(): void {
    this.#setBackAt = this.passedMs
  }

  granted(): void {
    this.#grantedAt = this.passedMs
  }

  wasSetBackSince(at: number): boolean {
    return this.#setBackAt >= at
  }

  /** A run died; returns the time from which what it heard may not be stored. */
  crashed(life: number): number {
    const from = this.#unwrittenFrom.get(life) ?? this.ranBefore(ALLOWANCE.settledMs)
    this.#unwrittenFrom.set(life, from)
    return from
  }

  /** Whether a heard answer is certainly stored. */
  isWritten({ answeredAt, life }: Send): boolean {
    return answeredAt !== null && answeredAt <= (this.#unwrittenFrom.get(life) ?? Number.POSITIVE_INFINITY)
  }
}
