/** What is promised with some room, in milliseconds. */
export const ALLOWANCE = {
  /** From an answer of a gateway until it is written down: a page waits for its last answers, and the disk may stall. */
  settledMs: 40_000,
} as const
