/** Tolerances of promises, in milliseconds. */
export const ALLOWANCE = {
  /** From a gateway's answer until it is stored: a page waits for its last answers, and the disk may stall. */
  settledMs: 40_000,
  /** Longest rest that a gateway asks for. */
  restMs: 60_000,
  /** Difference of the time of day from service time that is no jump. */
  wanderedMs: 1000,
  /** How long a refusal of the credential in a GOAWAY is believed. */
  refusedMs: 15_000,
  /** A request unanswered for this long holds up nobody. */
  silentMs: 1999,
  /** Until a receiver has got what is under way and its answer is stored: a sync may wait for another. */
  leftAloneMs: 5000,
  /** Until the service notices a set clock, a command's change, or a device that left. */
  noticedMs: 1000,
} as const
