import type { DeliveryEnd, OpenDelivery, PageRow } from '../store/open-delivery.ts'
import type { WaitReason } from '../wait.ts'
import type { Recipients } from './audience-cursor.ts'
import { attemptsOf, recipientAt, takeNext } from './batch.ts'
import type { Place } from './batch.ts'
import type { DeliveryEvent, Effect } from './delivery-events.ts'
import type { DeliveryMessages } from './messages.ts'
import { endIfNobody, readNext, reduce } from './reducer.ts'
import { rest } from './settling.ts'
import { newState, summarize } from './state.ts'
import type { DeliveryState, Phase } from './state.ts'

/** A recipient to send to. */
export interface Task extends Place {
  readonly delivery: Delivery
  readonly recipient: PageRow
}

/**
 * An open delivery in memory: what happens to it goes in as events (`reducer.ts`), what follows comes out as effects.
 * All of this can be lost at any moment, and is read again from its row in `delivery`. Times are service time.
 */
export class Delivery {
  readonly record: OpenDelivery
  readonly messages: DeliveryMessages
  readonly #state: DeliveryState

  /** `nextDueAt`: of recipients that wait for another attempt; `null`: none do. */
  constructor(record: OpenDelivery, messages: DeliveryMessages, recipients: Recipients, nextDueAt: number | null) {
    this.record = record
    this.messages = messages
    this.#state = newState(record, messages, recipients, nextDueAt)
    endIfNobody(this.#state)
  }

  get phase(): Phase {
    return this.#state.phase
  }

  /** Whether the size of the audience is known. */
  get isCounted(): boolean {
    return this.#state.isCounted
  }

  /** What `take` waits for when it finds nobody, without an answer coming first; `null`: nothing. */
  get waitsFor(): Extract<WaitReason, 'audience' | 'disk'> | null {
    const { phase, cursor, line, isLeasingDue } = this.#state
    if (phase !== 'open') return null
    return cursor.isSearching ? 'audience' : line.isLeasing || isLeasingDue ? 'disk' : null
  }

  /** Whether the batch that was taken from is used up: it is another delivery's turn. */
  get isAtBatchEnd(): boolean {
    return this.#state.line.isAtBatchEnd
  }

  /** What is left of it, for monitoring. */
  summary(now: number): ReturnType<typeof summarize> {
    return summarize(this.#state, now)
  }

  /** Takes what has to be done because of the events since the last time. */
  takeEffects(): readonly Effect[] {
    return this.#state.effects.length === 0 ? NOTHING : this.#state.effects.splice(0)
  }

  on(event: DeliveryEvent, now: number): void {
    reduce(this.#state, event, now)
  }

  /**
   * The next recipient; `null` if there is none now. `samplePlace`, in [0, 1): preferably from there in the audience.
   */
  take(now: number, samplePlace: number | null): Task | null {
    if (this.#state.phase !== 'open') return null
    const batch = this.#state.trial.maySend ? readNext(this.#state, now, samplePlace) : null
    if (batch === null) {
      if (this.waitsFor === null) rest(this.#state, now)
      return null
    }
    const index = takeNext(batch, now)
    this.#state.line.took(batch)
    this.#state.startedAt ??= now
    return { delivery: this, recipient: recipientAt(batch, index), batch, index, attempt: attemptsOf(batch, index) + 1 }
  }

  /** A recipient that was taken is on its way. */
  sent(): void {
    this.#state.trial.sent()
  }

  /** How it ends. `isGood`: whether the credential is known to be good. */
  endWith(isGood: boolean): DeliveryEnd {
    const reasons = this.#state.trial.tokenReasons
    if (this.#state.end.abortReason !== null || isGood || reasons.length === 0) return this.#state.end
    const all = this.#state.addressed === 1 ? 'the only device was' : `all ${this.#state.addressed} devices were`
    const refused = `${all} refused as ${reasons.join(', ')}: wrong environment, topic or project?`
    return { ...this.#state.end, refused }
  }
}

const NOTHING: readonly Effect[] = []
