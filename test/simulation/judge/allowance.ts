/** What is promised with some room, in milliseconds. */
export const ALLOWANCE = {
  /** From an answer of a gateway until it is written down: a page waits for its last answers, and the disk may stall. */
  settledMs: 40_000,
  /** The longest that a gateway of this world asks to be left alone. */
  restMs: 60_000,
  /** A request without an answer for so long holds up nobody. */
  silentMs: 1999,
  /** Until the service has noticed that somebody has set the clock. */
  noticedMs: 1000,
} as const
