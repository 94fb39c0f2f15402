import type { Outcome } from '../../gateway/gateway.ts'

/** Recipients for whom a gateway refuses the push itself, all for one reason and none taken, that speak for all. */
export const ENOUGH_REFUSALS = 100

/**
 * Whether a gateway takes a push at all, found out with its first recipients: no more of them are asked until one answer
 * is not about the push.
 *
 * trying → (an answer shows that the push is not what is refused) → over. trying → (`ENOUGH_REFUSALS`) → refused.
 */
export class PushTrial {
  #isOver: boolean
  #inFlight = 0
  /** By reason. */
  #refusals: Map<string, number> | null = null
  /** Why tokens were refused, where nobody was answered otherwise; `null`: somebody was. */
  #tokenReasons: Set<string> | null = new Set()
  #most = 0

  /** `wasTaken`: some recipients have it already. `hasManyGateways`: what one refuses says nothing of the others. */
  constructor(wasTaken: boolean, hasManyGateways: boolean) {
    this.#isOver = wasTaken || hasManyGateways
    if (wasTaken) this.#tokenReasons = null
  }

  /** Why the tokens of all who were answered were refused; empty where somebody was answered otherwise. */
  get tokenReasons(): readonly string[] {
    return [...(this.#tokenReasons ?? [])]
  }

  /** Whether one more may be sent. */
  get maySend(): boolean {
    return this.#isOver || this.#inFlight + this.#most < ENOUGH_REFUSALS
  }

  sent(): void {
    this.#inFlight++
  }

  /** One that was sent says nothing. */
  unheard(): void {
    this.#inFlight--
  }

  /** Notes an answer; gives, once, the reason for which everybody is refused, else `null`. */
  record(outcome: Outcome): string | null {
    this.#inFlight--
    if (this.#tokenReasons !== null) this.#noteToken(outcome)
    if (this.#isOver) return null
    if (outcome.kind === 'accepted' || outcome.kind === 'unregistered') this.#isOver = true
    if (outcome.kind !== 'rejected' || outcome.certain === true) return null
    if (outcome.blame !== 'push') {
      this.#isOver = true
      return null
    }
    this.#refusals ??= new Map()
    const count = (this.#refusals.get(outcome.reason) ?? 0) + 1
    this.#refusals.set(outcome.reason, count)
    this.#most = Math.max(this.#most, count)
    if (count < ENOUGH_REFUSALS) return null
    this.#isOver = true
    return outcome.reason
  }

  /** What is sent again says nothing yet. */
  #noteToken(outcome: Outcome): void {
    if (outcome.kind === 'deferred' || outcome.kind === 'misconfigured') return
    if (outcome.kind === 'rejected' && outcome.blame !== 'push') this.#tokenReasons?.add(outcome.reason)
    else this.#tokenReasons = null
  }
}
