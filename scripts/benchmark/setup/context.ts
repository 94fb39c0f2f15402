/** What every part of the bench is given. */
export interface BenchContext {
  /** Fewer devices and rounds: whether everything works, and rough figures. */
  readonly quick: boolean
  readonly rounds: number
  /** Path of the compiled service. */
  readonly binary: string
  /** Tells on standard error how far it is. */
  readonly say: (line: string) => void
  /** A temporary folder of this run, gone after it. */
  readonly folder: string
}
