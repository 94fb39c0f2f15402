import type { TransportAnswer } from './transport.ts'

/**
 * Keeps a new connection from being flooded, and one that may have ended unseen. Until a gateway has answered, a client does not know how many streams
 * it allows (APNs: one, until a request with a valid token succeeded), and opens a connection for each request that
 * may not fit: 50 requests at once made 28 connections, which Apple takes for an attack.
 *
 * cold → enter() → probing (the others wait) → leave(true) → warm: all enter.
 *                                            → leave(false) → cold: the next in line goes alone.
 * warm → cool() → cold.
 */
export class WarmUp<Call extends Waiting> {
  #state: 'cold' | 'probing' | 'warm' = 'cold'
  #line: Call[] = []

  /** `undefined`: go. Else wait for it, and ask again. */
  enter(call: Call): Promise<void> | undefined {
    if (this.#state === 'warm') return undefined
    if (this.#state === 'cold') {
      this.#state = 'probing'
      return undefined
    }
    return new Promise((resolve) => {
      call.wake = resolve
      this.#line.push(call)
    })
  }

  /** One that had entered is over; `answered`: the gateway took its credential. */
  leave(answered: boolean): void {
    if (this.#state === 'warm') return
    this.#state = answered ? 'warm' : 'cold'
    if (answered) this.wakeAll()
    else this.#wakeNext()
  }

  /** Nothing has been in flight for a while. */
  cool(): void {
    if (this.#state === 'warm') this.#state = 'cold'
  }

  /** Sends all who wait away, to ask elsewhere. */
  wakeAll(): void {
    for (const call of this.#line.splice(0)) call.wake?.()
  }

  #wakeNext(): void {
    let next = this.#line.shift()
    // Its turn must not be lost on one that has given up.
    while (next?.expired === true) next = this.#line.shift()
    next?.wake?.()
  }
}

export interface Waiting {
  expired: boolean
  wake: (() => void) | null
}

/** Whether it shows that the gateway took the credential: APNs then allows more than one stream. */
export function tookCredential(answer: TransportAnswer): boolean {
  return answer.kind === 'answer' && answer.status !== 401 && answer.status !== 403
}
