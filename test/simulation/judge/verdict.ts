import { Violation } from './invariants.ts'
import type { Invariant } from './invariants.ts'

/** Keeps the first broken promise: the others may follow from it. */
export class Verdict {
  #violation: Violation | null = null

  get violation(): Violation | null {
    return this.#violation
  }

  fail(invariant: Invariant, what: string): void {
    this.#violation ??= new Violation(invariant, what)
  }

  expect(holds: boolean, invariant: Invariant, what: () => string): void {
    if (!holds) this.fail(invariant, what())
  }
}
