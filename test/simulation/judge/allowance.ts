/** What is promised with some room, in milliseconds. */
export const ALLOWANCE = {
  /** From an answer of a gateway until it is written down: a page waits for its last answers, and the disk may stall. */
  settledMs: 40_000,
  /** The longest that a gateway of this world asks to be left alone. */
  restMs: 60_000,
  /** By how much the time of day may differ from service time before it counts as a jump. */
  wanderedMs: 1000,
  /** How long a refusal of the credential in a GOAWAY is believed. */
  refusedMs: 15_000,
  /** A request without an answer for so long holds up nobody. */
  silentMs: 1999,
  /** Until what is on its way to a receiver has come there, and its answer is written down: a sync may wait for another. */
  leftAloneMs: 5000,
  /** Until the service has noticed that somebody has set the clock, what a command has changed, or that a device has left. */
  noticedMs: 1000,
} as const
