export interface BenchContext {
  /** Fewer devices and rounds, for a check and rough figures. */
  readonly quick: boolean
  readonly rounds: number
  readonly binary: string
  /** Reports progress on standard error. */
  readonly say: (line: string) => void
  /** A temporary folder for this run. */
  readonly folder: string
}
