import { describeError } from '../text/error-code.ts'
import { isStale, replaceRow } from './open/batch.ts'
import type { Task } from './open/delivery.ts'
import { READ_AGAIN_MS } from './queue/read-guard.ts'
import type { SenderContext } from './sender-context.ts'
import type { StoredBadges } from './stored-badges.ts'
import { REMOVED } from './verdict.ts'
import type { FinalVerdict } from './verdict.ts'

interface Dependencies extends Pick<SenderContext, 'log' | 'store'> {
  readonly badges: Pick<StoredBadges, 'shownTo'>
}

/** Recipients as they are now. Times are service time. */
export class CurrentRecipients {
  readonly #deps: Dependencies
  #loggedUntil = Number.NEGATIVE_INFINITY

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /**
   * The task with its device and badge as they are now, or the verdict on a device that has left, or cannot be read. If
   * the phone is back, it is another device, with none of the labels that the push addressed.
   */
  asItIs(task: Task, now: number): Task | FinalVerdict {
    const { store, badges } = this.#deps
    try {
      let current = task
      if (isStale(task.batch, now)) {
        const recipient = store.recipient(task.recipient.device, task.delivery.record.notification)
        if (recipient === null) return REMOVED
        replaceRow(task.batch, task.index, recipient)
        current = { ...task, recipient }
      }
      const badge = badges.shownTo(current)
      return badge === current.recipient.badge ? current : { ...task, recipient: { ...current.recipient, badge } }
    } catch (error) {
      return this.unreadable(error, now)
    }
  }

  /** Whether the device has another token now than the one that was sent to. May throw. */
  hasMoved({ recipient: { device, token } }: Task): boolean {
    return this.#deps.store.hasMoved(device, token)
  }

  /** The verdict on a recipient that cannot be read; logged once until it is tried again. */
  unreadable(error: unknown, now: number): FinalVerdict {
    const dueAt = now + READ_AGAIN_MS
    if (now >= this.#loggedUntil) {
      this.#deps.log.error('a device cannot be read; trying again', { error: describeError(error) })
      this.#loggedUntil = dueAt
    }
    return { kind: 'retry', dueAt, reason: 'the database cannot be read' }
  }
}
