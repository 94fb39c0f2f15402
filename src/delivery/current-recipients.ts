import { describeError } from '../text/error-code.ts'
import { isStale } from './open/batch.ts'
import type { Task } from './open/delivery.ts'
import { READ_AGAIN_MS } from './queue/read-guard.ts'
import type { SenderContext } from './sender-context.ts'
import type { OpenDelivery } from './store/open-delivery.ts'
import { REMOVED } from './verdict.ts'
import type { FinalVerdict } from './verdict.ts'

export type CurrentRecipients = ReturnType<typeof createCurrentRecipients>

/** Recipients and badges as stored now. A push changes badges a page at a time, once, before the page is sent. */
export function createCurrentRecipients({ log, store, registry }: Pick<SenderContext, 'log' | 'store' | 'registry'>) {
  let loggedUntil = Number.NEGATIVE_INFINITY
  let changes = 0
  const ownChanges = new WeakMap<OpenDelivery, number>()

  /** Changes by others: a delivery's own pages have different devices. */
  const changesBeside = (delivery: OpenDelivery): number => changes - (ownChanges.get(delivery) ?? 0)

  function shownTo({ recipient: { badge, device }, batch, delivery }: Task): number | null {
    return badge === null || batch.badgeChanges === changesBeside(delivery.record) ? badge : store.badgeOf(device)
  }

  function unreadable(error: unknown, now: number): FinalVerdict {
    const dueAt = now + READ_AGAIN_MS
    if (now >= loggedUntil) {
      log.error('a device cannot be read; trying again', { error: describeError(error) })
      loggedUntil = dueAt
    }
    return { kind: 'retry', dueAt, reason: 'the database cannot be read' }
  }

  return {
    unreadable,

    /**
     * The task with its device and badge as stored now, or the verdict on a device that has left or cannot be read. A
     * phone that registered again is another device, without the labels that the push addressed.
     */
    asItIs(task: Task, now: number): Task | FinalVerdict {
      try {
        let current = task
        if (isStale(task.batch, now)) {
          const recipient = store.recipient(task.recipient.device, task.delivery.record.notification)
          if (recipient === null) return REMOVED
          task.batch.recipients[task.index] = recipient
          current = { ...task, recipient }
        }
        const badge = shownTo(current)
        return badge === current.recipient.badge ? current : { ...task, recipient: { ...current.recipient, badge } }
      } catch (error) {
        return unreadable(error, now)
      }
    },

    badgeSet: (): void => void changes++,

    /**
     * Changes the badges of a page, but none twice after a crash; `null` if the push has ended. Returns badges by
     * `device.id`, without devices that have left. The transaction may run twice.
     */
    leaseBadges(delivery: OpenDelivery, devices: readonly number[]) {
      const { badge } = delivery.notification
      const fresh = badge === null ? null : store.leaseBadges(delivery, devices)
      if (badge === null || fresh === null) return null
      changes++
      ownChanges.set(delivery, (ownChanges.get(delivery) ?? 0) + 1)
      const badges = new Map(fresh.length === 0 ? [] : registry.changeBadges(fresh, badge))
      const rest = devices.filter((device) => !badges.has(device))
      if (rest.length > 0) for (const { id, badge } of store.badgesOf(rest)) badges.set(id, badge)
      return { badges, badgeChanges: changesBeside(delivery) }
    },
  }
}
