import { forgetOldest } from '../../text/forget-oldest.ts'

const MAX_SUSPECTS = 10_000

/**
 * Devices refused by answers that may concern the whole project: 404 without details, 401 without a body. If FCM
 * accepts other messages of the project, the token is at fault.
 */
export class SuspectTokens {
  #taken = 0
  /** By device: `#taken` at its first refusal. */
  readonly #suspects = new Map<number, number>()

  taken(device: number): void {
    this.#taken++
    if (this.#suspects.size > 0) this.#suspects.delete(device)
  }

  refused(device: number): boolean {
    const before = this.#suspects.get(device)
    if (before !== undefined) return this.#taken > before
    this.#suspects.set(device, this.#taken)
    forgetOldest(this.#suspects, MAX_SUSPECTS)
    return false
  }
}
