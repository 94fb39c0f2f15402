import { backoffMs, GATEWAY_RETRY, MISCONFIGURED_RETRY } from './retry.ts'

/** Requests in flight of one credential at the most. Apple's usual stream limit for one connection is 1000. */
const MAX_WINDOW = 1000

export type WindowState = 'ready' | 'unreachable' | 'misconfigured'

/**
 * How much of one credential may be in flight.
 *
 * ready → (its gateway cannot be reached, or asks for a pause) → unreachable → (after a wait) one request alone:
 * taken → ready, else a longer wait. ready → (the credential is refused) → misconfigured → (after a long wait) one
 * request alone. Replacing the credential makes a new window.
 *
 * The first request goes alone until it is taken, because APNs allows one stream until then
 * (developer.apple.com, "Establishing a connection to APNs"); from then on each success opens the window by one.
 */
export class Window {
  #state: WindowState = 'ready'
  #reason: string | null = null
  #size = 1
  #resumeAt = 0
  #setbacks = 0

  get state(): WindowState {
    return this.#state
  }

  /** Why it is not ready; `null` when it is. */
  get reason(): string | null {
    return this.#reason
  }

  /** Requests that may be in flight at `now`, ms since the Unix epoch. */
  size(now: number): number {
    return now < this.#resumeAt ? 0 : this.#size
  }

  /** The gateway took one; `true` if that ended a pause. */
  succeeded(): boolean {
    if (this.#size < MAX_WINDOW) this.#size++
    this.#setbacks = 0
    if (this.#state === 'ready') return false
    this.#state = 'ready'
    this.#reason = null
    return true
  }

  /**
   * Pauses; says for how many milliseconds, `null` when it was paused already: what was sent before a pause and
   * answered in it says nothing new. `askedMs`: the gateway's own wish. `random` is in [0, 1).
   */
  pause(
    { misconfigured, askedMs, reason }: { misconfigured: boolean; askedMs: number | null; reason: string },
    now: number,
    random: number,
  ): number | null {
    if (now < this.#resumeAt) return null
    this.#setbacks++
    const waitMs = backoffMs(misconfigured ? MISCONFIGURED_RETRY : GATEWAY_RETRY, this.#setbacks, random, askedMs)
    this.#state = misconfigured ? 'misconfigured' : 'unreachable'
    this.#reason = reason
    this.#resumeAt = now + waitMs
    this.#size = 1
    return waitMs
  }
}
