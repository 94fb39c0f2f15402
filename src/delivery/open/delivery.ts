import type { DeliveryEnd, OpenDelivery, PageRow } from '../store/open-delivery.ts'
import type { Recipients } from './audience-cursor.ts'
import { attemptsOf, takeNext } from './batch.ts'
import type { Place } from './batch.ts'
import type { DeliveryEvent, Effect } from './delivery-events.ts'
import type { DeliveryMessages } from './messages.ts'
import { endIfNobody, readNext, reduce } from './reducer.ts'
import { rest } from './settling.ts'
import { newState, summarize } from './state.ts'
import type { DeliveryState, Phase } from './state.ts'

/** One recipient, to be sent to. */
export interface Task extends Place {
  readonly delivery: Delivery
  readonly recipient: PageRow
}

/**
 * One open delivery in memory: what happens to it goes in as events (`reducer.ts`), what follows comes out as `effects`.
 * Times are service time. The durable half of it is its row in `delivery`; what is here can be lost at any moment, and is
 * read again from `progress` on.
 */
export class Delivery {
  readonly record: OpenDelivery
  readonly messages: DeliveryMessages
  readonly #state: DeliveryState

  /** `nextDueAt`: of those who wait for another attempt; `null`: nobody does. */
  constructor(record: OpenDelivery, messages: DeliveryMessages, recipients: Recipients, nextDueAt: number | null) {
    this.record = record
    this.messages = messages
    this.#state = newState(record, messages, recipients, nextDueAt)
    endIfNobody(this.#state)
  }

  get phase(): Phase {
    return this.#state.phase
  }

  /** Whether it is known how many are in the audience. */
  get isCounted(): boolean {
    return this.#state.isCounted
  }

  /** Why `take` found nobody, though there may be somebody in a moment; `null`: there will not be. */
  get search(): 'reading' | 'leasing' | null {
    const { phase, cursor, line, isLeasingDue } = this.#state
    if (phase !== 'open') return null
    return cursor.isSearching ? 'reading' : line.isLeasing || isLeasingDue ? 'leasing' : null
  }

  /** Whether the batch that was taken from is used up: the moment for another delivery. */
  get isAtBatchEnd(): boolean {
    return this.#state.line.isAtBatchEnd
  }

  /** What is left of it, for who watches. */
  summary(now: number): ReturnType<typeof summarize> {
    return summarize(this.#state, now)
  }

  /** Takes what is to be done because of the events since the last time. */
  takeEffects(): readonly Effect[] {
    return this.#state.effects.length === 0 ? NOTHING : this.#state.effects.splice(0)
  }

  on(event: DeliveryEvent, now: number): void {
    reduce(this.#state, event, now)
  }

  /**
   * Takes the next recipient to send to; `null` when there is none now. `samplePlace`, in [0, 1): better one from that
   * place in what is not read yet, `null` for the order of reading.
   */
  take(now: number, samplePlace: number | null): Task | null {
    if (this.#state.phase !== 'open') return null
    const batch = this.#state.trial.maySend ? readNext(this.#state, now, samplePlace) : null
    if (batch === null) {
      if (this.search === null) rest(this.#state, now)
      return null
    }
    const index = takeNext(batch, now)
    this.#state.line.took(batch)
    this.#state.startedAt ??= now
    const recipient = batch.recipients[index]
    if (recipient === undefined) throw new Error(`a batch of ${batch.recipients.length} has no place ${index}`)
    return { delivery: this, recipient, batch, index, attempt: attemptsOf(batch, index) + 1 }
  }

  /** One that was taken is on its way. */
  sent(): void {
    this.#state.trial.sent()
  }

  /** How it ends, where it is known by then whether the credential is good. */
  endWith(isGood: boolean): DeliveryEnd {
    const reasons = this.#state.trial.tokenReasons
    if (this.#state.end.abortReason !== null || isGood || reasons.length === 0) return this.#state.end
    const all = this.#state.addressed === 1 ? 'the only device was' : `all ${this.#state.addressed} devices were`
    const refused = `${all} refused as ${reasons.join(', ')}: wrong environment, topic or project?`
    return { ...this.#state.end, refused }
  }
}

const NOTHING: readonly Effect[] = []
