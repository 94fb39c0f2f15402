/** A defect that is planted in a copy of the sources, to see whether the simulation finds it. */
export interface Mutation {
  /** What the defect does, for the manual. */
  readonly name: string
  /** Source text, in whichever file of src it stands, and whatever its spaces and line breaks are. */
  readonly from: string
  readonly to: string
  /** Where `from` is meant, below the root of the checkout: only for a text that other files have too. */
  readonly file?: string
}
