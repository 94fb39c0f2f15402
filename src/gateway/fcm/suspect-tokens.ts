/** Devices remembered at the most. */
const MAX_SUSPECTS = 10_000

/**
 * Devices of which FCM has said what it says of a whole project too: 404 without details, 401 without a body. Whose
 * fault that is, others show: a project that takes messages for them is there, and then the token is the one that is not.
 */
export class SuspectTokens {
  /** How many were taken so far, of all devices. */
  #taken = 0
  /** By device: how many were taken when it was refused first. */
  readonly #suspects = new Map<number, number>()

  taken(device: number): void {
    this.#taken++
    if (this.#suspects.size > 0) this.#suspects.delete(device)
  }

  /** The device was refused; whether others were taken since it was refused first. */
  refused(device: number): boolean {
    const before = this.#suspects.get(device)
    if (before !== undefined) return this.#taken > before
    this.#suspects.set(device, this.#taken)
    for (const oldest of this.#suspects.keys()) {
      if (this.#suspects.size <= MAX_SUSPECTS) break
      this.#suspects.delete(oldest)
    }
    return false
  }
}
