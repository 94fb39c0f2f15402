/** A defect that is planted in a copy of the sources, to see whether the simulation finds it. */
export interface Mutation {
  /** What the defect does, for the manual. */
  readonly name: string
  /** Below the root of the checkout. */
  readonly file: string
  /** Stands there once. */
  readonly from: string
  readonly to: string
}
