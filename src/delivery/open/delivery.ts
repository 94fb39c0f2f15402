import { inLanguage } from '../../notification/languages.ts'
import type { Message } from '../../notification/notification.ts'
import { OWN_TEXT } from '../../text/language-tag.ts'
import type { WallClock } from '../../time/service-clock.ts'
import type { DeliveryEnd, OpenDelivery, PageRow } from '../store/open-delivery.ts'
import type { WaitReason } from '../wait.ts'
import type { Recipients } from './audience-cursor.ts'
import { attemptsOf, recipientAt, takeNext } from './batch.ts'
import type { Place } from './batch.ts'
import type { DeliveryEvent, Effect } from './delivery-events.ts'
import { endIfNobody, reduce, rest } from './reducer.ts'
import { newState, summarize } from './state.ts'
import type { DeliveryState, Phase } from './state.ts'

export interface Task extends Place {
  readonly delivery: Delivery
  readonly recipient: PageRow
}

/**
 * An open delivery in memory: events go in (`reducer.ts`), effects come out. It can be lost at any time: its row in
 * `delivery` is read again.
 */
export class Delivery {
  readonly record: OpenDelivery
  readonly #recipients: Recipients
  readonly #state: DeliveryState
  readonly #clock: WallClock
  #message: Message
  readonly #translated = new Map<string, Message>()

  /** `nextDueAt`: of recipients that wait for another attempt. */
  constructor(record: OpenDelivery, clock: WallClock, recipients: Recipients, nextDueAt: number | null) {
    const { pushId, notification, expiresAt } = record
    this.record = record
    this.#recipients = recipients
    this.#clock = clock
    this.#message = { push: pushId, notification, expiresAt: clock.wallAt(expiresAt) }
    this.#state = newState(record, recipients, nextDueAt)
    endIfNobody(this.#state)
  }

  get phase(): Phase {
    return this.#state.phase
  }

  get uncounted(): Recipients | null {
    return this.#state.isCounted ? null : this.#recipients
  }

  /** What `take` waits for, other than answers. Disk first: searching would keep a core busy. */
  get waitsFor(): Extract<WaitReason, 'audience' | 'disk'> | null {
    const { phase, cursor, line, isLeasingDue } = this.#state
    if (phase !== 'open') return null
    return line.isLeasing ? 'disk' : cursor.isSearching ? 'audience' : isLeasingDue ? 'disk' : null
  }

  get isAtBatchEnd(): boolean {
    return this.#state.line.isAtBatchEnd
  }

  summary(now: number): ReturnType<typeof summarize> {
    return summarize(this.#state, now)
  }

  takeEffects(): readonly Effect[] {
    return this.#state.effects.length === 0 ? NOTHING : this.#state.effects.splice(0)
  }

  on(event: DeliveryEvent, now: number): void {
    reduce(this.#state, event, now)
  }

  /** `null`: nobody now. `samplePlace`, in [0, 1): preferably from there in the audience. */
  take(now: number, samplePlace: number | null): Task | null {
    if (this.#state.phase !== 'open') return null
    const batch = this.#state.canary.maySend ? this.#state.line.next(now, samplePlace) : null
    if (batch === null) {
      if (this.waitsFor === null) rest(this.#state, now)
      return null
    }
    const index = takeNext(batch, now)
    this.#state.line.took(batch)
    this.#state.startedAt ??= now
    return { delivery: this, recipient: recipientAt(batch, index), batch, index, attempt: attemptsOf(batch, index) + 1 }
  }

  sent(): void {
    this.#state.canary.sent()
  }

  /** In a language, as in `PageRow`. The same object until somebody sets the clock, so it is rendered once. */
  messageIn(language: string | null): Message {
    const expiresAt = this.#clock.wallAt(this.record.expiresAt)
    if (expiresAt !== this.#message.expiresAt) {
      this.#message = { ...this.#message, expiresAt }
      this.#translated.clear()
    }
    if (language === null || language === OWN_TEXT) return this.#message
    let message = this.#translated.get(language)
    if (message === undefined) {
      message = { ...this.#message, notification: inLanguage(this.#message.notification, language) }
      this.#translated.set(language, message)
    }
    return message
  }

  endWith(isGood: boolean): DeliveryEnd {
    const { canary, end, addressed } = this.#state
    const reasons = canary.tokenReasons
    if (end.abortReason !== null || isGood || reasons.length === 0) return end
    const all = addressed === 1 ? 'the only device was' : `all ${addressed} devices were`
    const refused = `${all} refused as ${reasons.join(', ')}: wrong environment, topic or project?`
    return { ...end, refused }
  }
}

const NOTHING: readonly Effect[] = []
