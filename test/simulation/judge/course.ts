import { ALLOWANCE } from './allowance.ts'
import type { Phone } from './phones.ts'
import type { Push, Send } from './pushes.ts'

export interface Clocks {
  /** Ms since the Unix epoch, as the machine has it. */
  readonly now: () => number
  /** `WorldClock.passedMs`. */
  readonly passedMs: () => number
  /** Which run of the service lives. */
  readonly life: () => number
  /** `WorldClock.ranBefore`. */
  readonly ranBefore: (ms: number) => number
}

/** The time of a world, and what has befallen it. Times are `WorldClock.passedMs`. */
export class Course {
  readonly #clocks: Clocks
  /** Of each run of the service that died: what it heard after this moment may not be written down. */
  readonly #unwrittenFrom = new Map<number, number>()
  #disturbedAt = Number.NEGATIVE_INFINITY
  #setBackAt = Number.NEGATIVE_INFINITY
  #grantedAt = Number.NEGATIVE_INFINITY

  constructor(clocks: Clocks) {
    this.#clocks = clocks
  }

  /** Ms since the Unix epoch, as the machine has it. */
  get now(): number {
    return this.#clocks.now()
  }

  get passedMs(): number {
    return this.#clocks.passedMs()
  }

  /** Which run of the service lives. */
  get life(): number {
    return this.#clocks.life()
  }

  /** When somebody has last set the clock, or stopped the process. */
  get disturbedAt(): number {
    return this.#disturbedAt
  }

  /**
   * Whether a phone may get a push by local time with two zones: that it moved before the first wave or after, nobody can say by a clock that was put back between; and who comes
   * anew, in another zone, is another device.
   */
  mayBeInTwoWaves({ step, askedAt }: Push, { changedAt, anewAt }: Phone): boolean {
    if (step.when.kind !== 'local' || changedAt < askedAt) return false
    return this.#setBackAt >= askedAt || anewAt >= askedAt
  }

  /** When Google's token endpoint has answered last. */
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

  /** A run of the service has died; from when on what it heard may not be written down. */
  crashed(life: number): number {
    const from = this.#unwrittenFrom.get(life) ?? this.ranBefore(ALLOWANCE.settledMs)
    this.#unwrittenFrom.set(life, from)
    return from
  }

  /** Whether an answer that was heard is certain to be written down. */
  isWritten({ answeredAt, life }: Send): boolean {
    return answeredAt !== null && answeredAt <= (this.#unwrittenFrom.get(life) ?? Number.POSITIVE_INFINITY)
  }
}
