import { MINUTE_MS, SECOND_MS } from '../../clock.ts'

/** Refusals in a row that are put down to chance, each to its device alone. */
const MAX_BY_CHANCE = 3

/** How long nothing is sent after that, in ms: each time that it goes on. Apple wants 20 minutes between two tokens. */
const PAUSES_MS = [2 * SECOND_MS, 30 * SECOND_MS, 5 * MINUTE_MS, 20 * MINUTE_MS]

/**
 * 429 TooManyProviderTokenUpdates. APNs gives one now and then among answers of 200, though the provider token is the same
 * (36 of 2,600: AndrewBarba/apns2#44), and to all when it means it.
 *
 * taking → (refusals) → by chance, up to three in a row → paused, ever longer. Any → (a notification is taken) → taking.
 */
export class TokenUpdates {
  #refusals = 0
  #pauses = 0
  /** The end of the last pause, by the monotonic clock. */
  #pausedUntil = Number.NEGATIVE_INFINITY

  /** APNs took a notification. */
  taken(): void {
    // Nearly always: a broadcast calls this for each notification.
    if (this.#refusals === 0) return
    this.#refusals = 0
    this.#pauses = 0
  }

  /** A refusal at `monotonic`: for how many ms nothing is to be sent; `null`: it is this device's alone. */
  refused(monotonic: number): number | null {
    // What was sent before a pause says nothing new.
    if (monotonic < this.#pausedUntil) return this.#pausedUntil - monotonic
    if (++this.#refusals <= MAX_BY_CHANCE) return null
    const pauseMs = PAUSES_MS[Math.min(this.#pauses++, PAUSES_MS.length - 1)] ?? 0
    this.#pausedUntil = monotonic + pauseMs
    return pauseMs
  }
}
