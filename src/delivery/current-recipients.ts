import { describeError } from '../text/error-code.ts'
import { isHeldBack } from './open/batch.ts'
import type { Task } from './open/delivery.ts'
import { READ_AGAIN_MS } from './queue/read-guard.ts'
import type { SenderContext } from './sender-context.ts'
import type { StoredBadges } from './stored-badges.ts'

/** The reason of a recipient of whom something could not be read. */
export const UNREADABLE = 'the database cannot be read'

interface Dependencies extends Pick<SenderContext, 'application' | 'platform' | 'log' | 'store'> {
  readonly badges: Pick<StoredBadges, 'shownTo'>
}

/**
 * Recipients as they are now, and not as they were when their page was read. Whatever is read here may throw: the
 * recipient is then to wait until `againAfter`, or it would be on its way until the next start. Times are service time.
 */
export class CurrentRecipients {
  readonly #deps: Dependencies
  /** Until when the log need not say again that something cannot be read. */
  #toldUntil = Number.NEGATIVE_INFINITY

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** The task with its device and its badge as they are now; `null`: the device has left. */
  asItIs(task: Task, now: number): Task | null {
    const current = isHeldBack(task.batch, now) ? this.#readAgain(task) : task
    return current === null ? null : this.#withBadge(current)
  }

  /** Whether the device has another token by now than the one that was sent to. */
  hasMoved({ recipient: { device, token } }: Task): boolean {
    return this.#deps.store.hasMoved(device, token)
  }

  /** When to go on with a recipient of whom something could not be read: in ten seconds. The log tells as often. */
  againAfter(error: unknown, now: number): number {
    const { log, application, platform } = this.#deps
    const until = now + READ_AGAIN_MS
    if (now >= this.#toldUntil) {
      log.error('a device cannot be read; trying again', { application, platform, error: describeError(error) })
      this.#toldUntil = until
    }
    return until
  }

  /**
   * A device that has left gets nothing, as one that waited on disk. The notification was for that device, also where the
   * phone is back: it is another device, with none of the labels that it was addressed by, and a badge that begins anew.
   */
  #readAgain(task: Task): Task | null {
    const { recipient, delivery } = task
    const found = this.#deps.store.recipient(recipient.device, delivery.record.notification)
    // It gets the text that it counts with.
    return found === null ? null : { ...task, recipient: { ...recipient, ...found, language: recipient.language } }
  }

  #withBadge(task: Task): Task {
    const { recipient } = task
    const badge = this.#deps.badges.shownTo(task)
    return badge === recipient.badge ? task : { ...task, recipient: { ...recipient, badge } }
  }
}
