import type { RecipientResults } from '../recipient-results.ts'
import type { DueRecipient } from '../store/open-delivery.ts'

/** Recipients taken from the database because their next attempt is due. */
export interface Leased<Dead> {
  readonly due: readonly DueRecipient[]
  /** Their device is not there any more. */
  readonly dead: readonly Dead[]
  /** When the next is due; `null` for none. */
  readonly next: number | null
}

/**
 * Recipients of one delivery that wait for another attempt. Times are service time.
 *
 * in the database → (due) → leased → taken → on its way → (answered) → over, or in the database again. Stragglers of
 * pages are leased from the beginning.
 */
export class WaitingRecipients {
  /** Leased recipients to be sent to. */
  readonly #due: DueRecipient[] = []
  /** Devices whose row says due, and who are here: to be sent to, or on their way. No row is leased a second time. */
  readonly #leased = new Set<number>()
  /** All that wait, the leased ones included. */
  #count: number
  /** When the next of those in the database is due; Infinity for none. */
  #nextDueAt: number
  #isLeasing = false
  #isAborted = false

  constructor(count: number, nextDueAt: number | null) {
    this.#count = count
    this.#nextDueAt = nextDueAt ?? Number.POSITIVE_INFINITY
  }

  get count(): number {
    return this.#count
  }

  /** Recipients that are leased: to be sent to, or on their way. */
  get leased(): number {
    return this.#leased.size
  }

  /** Leased recipients to be sent to. */
  get due(): number {
    return this.#due.length
  }

  get nextDueAt(): number {
    return this.#nextDueAt
  }

  /** Whether some are being leased now. */
  get isLeasing(): boolean {
    return this.#isLeasing
  }

  /** Some are being leased. What is written down meanwhile sets `nextDueAt` again. */
  startLease(): void {
    this.#isLeasing = true
    this.#nextDueAt = Number.POSITIVE_INFINITY
  }

  /** The lease came to nothing: the delivery is over, or aborted. */
  endLease(): void {
    this.#isLeasing = false
  }

  /**
   * Takes what was leased, but for those that are here already, or answered and not on disk (`isUnwritten`): that says
   * more. Gives the dead ones; until their end is written down they are leased too, so that the delivery stays.
   */
  lease<Dead extends { readonly device: number }>(
    { due, dead, next }: Leased<Dead>,
    isUnwritten: (device: number) => boolean,
  ): Dead[] {
    const isHere = (device: number): boolean => this.#leased.has(device) || isUnwritten(device)
    this.#isLeasing = false
    this.#dueBy(next ?? Number.POSITIVE_INFINITY)
    for (const recipient of due) {
      if (isHere(recipient.device)) continue
      this.#leased.add(recipient.device)
      this.#due.push(recipient)
    }
    const over = dead.filter(({ device }) => !isHere(device))
    for (const { device } of over) this.#leased.add(device)
    return over
  }

  /** Takes a recipient to send to. */
  take(): DueRecipient | undefined {
    return this.#due.shift()
  }

  /** Puts a recipient back that was taken, or a straggler. */
  putBack(recipient: DueRecipient): void {
    this.#due.push(recipient)
  }

  /** Stragglers, whose rows are written as leased. */
  addStragglers(devices: readonly number[]): void {
    for (const device of devices) this.#leased.add(device)
  }

  /** A leased recipient is answered. */
  answered(device: number): void {
    this.#count--
    this.#leased.delete(device)
  }

  /** Whoever waits from now on; of a delivery that is aborted, only for the answer to the last send. */
  add(results: RecipientResults): void {
    this.#count += results.leased + (this.#isAborted ? 0 : results.retries)
  }

  /** Their rows are on disk, and not before: they would be looked for in vain, and forgotten. */
  added(results: RecipientResults): void {
    if (!this.#isAborted) this.#dueBy(results.nextDueAt)
  }

  /** Rows in the database were made due at `at`, where that was not to be before. */
  makeDue(at: number): void {
    if (this.#count > 0) this.#dueBy(at)
  }

  /** Nobody is sent to again: only those on their way are waited for. Rows in the database end with the delivery. */
  abort(): void {
    this.#isAborted = true
    for (const { device } of this.#due.splice(0)) this.#leased.delete(device)
    this.#count = this.#leased.size
    this.#nextDueAt = Number.POSITIVE_INFINITY
  }

  #dueBy(at: number): void {
    this.#nextDueAt = Math.min(this.#nextDueAt, at)
  }
}
