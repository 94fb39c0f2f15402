/** So many tokens refused, and none taken, are the credential's fault. */
const ENOUGH = 10

/** Whose fault a refused token is: see `blame` in `delivery.ts`. */
export type Doubt = 'token' | 'mismatch'

/**
 * Whether to believe a gateway that refuses tokens. Nobody's devices are given up because a key was wrong.
 *
 * unproven → (a notification is taken) → proven: a refused token is the token's fault, and so were those set aside.
 * unproven → (a mismatch, or `ENOUGH` refused tokens) → the credential is at fault: what was set aside is sent again.
 * unproven → (the run ends with fewer) → they are believed.
 */
export class Suspicion<Suspect> {
  #proven: boolean
  #accused = false
  #aside: Suspect[] = []

  constructor(proven: boolean) {
    this.#proven = proven
  }

  /** A token was refused. `aside`: it was kept, and comes back from one of the others. */
  weigh(suspect: Suspect, doubt: Doubt): 'believe' | 'aside' | 'accuse' {
    if (this.#proven) return 'believe'
    this.#aside.push(suspect)
    // An accused credential is tried with one token at a time, and one more refusal says enough.
    if (doubt === 'token' && !this.#accused && this.#aside.length < ENOUGH) return 'aside'
    this.#accused = true
    return 'accuse'
  }

  /** A notification was taken; `true` if that is news. */
  prove(): boolean {
    if (this.#proven) return false
    this.#proven = true
    return true
  }

  /** Whether tokens are set aside. */
  get holds(): boolean {
    return this.#aside.length > 0
  }

  /** Those set aside, for good. */
  release(): Suspect[] {
    return this.#aside.splice(0)
  }
}
