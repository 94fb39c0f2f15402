import type { Outcome } from '../../gateway/gateway.ts'

/** Refusals of the push, for one reason and with none accepted, that end it. */
export const ENOUGH_REFUSALS = 100

/**
 * Tries a push on its first recipients: no more are in flight until an answer shows that the gateway accepts it.
 *
 * trying → (an answer that does not blame the push) → over. trying → (`ENOUGH_REFUSALS`) → refused.
 */
export class Canary {
  #isOver: boolean
  #inFlight = 0
  #refusals: Map<string, number> | null = null
  /** Why tokens were refused; `null`: there was another answer. */
  #tokenReasons: Set<string> | null
  #most = 0

  /** `hasManyGateways`: a push that one refuses, another may take. */
  constructor(wasAccepted: boolean, hasManyGateways: boolean) {
    this.#isOver = wasAccepted || hasManyGateways
    this.#tokenReasons = wasAccepted ? null : new Set()
  }

  /** Why tokens were refused; empty if there were other answers. */
  get tokenReasons(): readonly string[] {
    return [...(this.#tokenReasons ?? [])]
  }

  get maySend(): boolean {
    return this.#isOver || this.#inFlight + this.#most < ENOUGH_REFUSALS
  }

  sent(): void {
    this.#inFlight++
  }

  unheard(): void {
    this.#inFlight--
  }

  /** Returns, once, the reason for which everybody is refused. */
  record(outcome: Outcome): string | null {
    this.#inFlight--
    // The next attempt will tell.
    if (outcome.kind === 'deferred' || outcome.kind === 'misconfigured') return null
    const isOfPush = outcome.kind === 'rejected' && outcome.blame === 'push'
    if (outcome.kind === 'rejected' && !isOfPush) this.#tokenReasons?.add(outcome.reason)
    else this.#tokenReasons = null
    if (this.#isOver || (outcome.kind === 'rejected' && outcome.certain === true)) return null
    this.#isOver = !isOfPush
    if (!isOfPush) return null
    this.#refusals ??= new Map()
    const count = (this.#refusals.get(outcome.reason) ?? 0) + 1
    this.#refusals.set(outcome.reason, count)
    this.#most = Math.max(this.#most, count)
    if (count < ENOUGH_REFUSALS) return null
    this.#isOver = true
    return outcome.reason
  }
}
