import { MINUTE_MS } from '../../clock.ts'
/** Google: 600,000 messages a minute per project ("FCM throttling and quotas"). */
const MESSAGES_A_SECOND = 600_000 / 60

/** "Ramp up over 60 seconds" ("Scale FCM"), from this share of the full rate. */
const RAMP_MS = MINUTE_MS
const RAMP_FROM = 0.02

/** In seconds' worth of messages. */
const BURST_SECONDS = 0.5

/**
 * A project's rate limit, shared by its applications: a bucket filled at Google's rate, slower just after a pause.
 * Times are monotonic, in ms.
 */
export class ProjectQuota {
  #tokens = MESSAGES_A_SECOND * BURST_SECONDS
  #filledAt = Number.NEGATIVE_INFINITY
  #pausedUntil = Number.NEGATIVE_INFINITY

  mayTake(now: number): boolean {
    if (this.#isPaused(now)) return false
    this.#fill(now)
    return this.#tokens >= 1
  }

  take(): void {
    this.#tokens--
  }

  pause(now: number, forMs: number): void {
    if (this.#isPaused(now) && this.#pausedUntil >= now + forMs) return
    this.#pausedUntil = now + forMs
    this.#tokens = 1
    this.#filledAt = now + forMs
  }

  #isPaused(now: number): boolean {
    return now < this.#pausedUntil
  }

  #fill(now: number): void {
    const rate = MESSAGES_A_SECOND * this.#share(now)
    const seconds = Math.max(now - this.#filledAt, 0) / 1000
    // At least one, or a slow start would never send.
    this.#tokens = Math.min(this.#tokens + seconds * rate, Math.max(rate * BURST_SECONDS, 1))
    this.#filledAt = now
  }

  #share(now: number): number {
    const since = now - this.#pausedUntil
    return since < 0 || since >= RAMP_MS ? 1 : Math.max(since / RAMP_MS, RAMP_FROM)
  }
}
