import type { Application } from '../../application/application.ts'
import { filterOf } from '../../audience/filter-schema.ts'
import type { Filter } from '../../audience/filter.ts'
import { DAY_MS } from '../../clock.ts'
import type { Commit } from '../../database/group-commit.ts'
import { failure, noRoom, Refused } from '../../failure.ts'
import { hasText } from '../../notification/content-schema.ts'
import { timeToLiveMs } from '../../notification/notification.ts'
import type { Notification } from '../../notification/notification.ts'
import { PLATFORM, PLATFORMS } from '../../platform.ts'
import type { Platform } from '../../platform.ts'
import type { createReceiptStore } from '../../stats/receipt-store.ts'
import type { Receipt } from '../../stats/receipt.ts'
import type { Acceptance } from '../accept.ts'
import type { CancelStore } from '../cancel-store.ts'
import type { PushStore } from '../push-store.ts'
import { noPush } from '../status/status-schema.ts'
import type { createShownStore, ShownPush } from './shown-store.ts'

interface Dependencies extends Acceptance {
  readonly store: ReturnType<typeof createShownStore>
  readonly receipts: Pick<ReturnType<typeof createReceiptStore>, 'isOpenedBy'>
  readonly pushes: PushStore
  readonly cancel: CancelStore['cancel']
  readonly prepared: (application: Application, wanted: Notification, platforms: readonly Platform[]) => Notification
}

/** Ends what is still being sent, by `push.number`: `cancelStored` in the commit, `cancel` after it. */
export interface SendingEnd {
  readonly cancelStored: (application: number, push: number) => void
  readonly cancel: (application: number, push: number) => void
}

interface Wanted {
  readonly platforms?: readonly Platform[]
  /** Default: that of the acceptance. */
  readonly commit?: Commit
}

interface Withdrawal {
  /** Of the push that withdraws it. */
  readonly id: string
  /** The push was still being sent. */
  readonly cancelled: boolean
}

interface NewText {
  readonly title: string | null
  readonly msg: string | null
}

/** Browsers restrict pushes that show nothing (the manual, "Browsers"). */
const PHONES = PLATFORMS.filter((platform) => PLATFORM[platform].provider !== 'webpush')

/** Devices of one user that a tap clears: anybody with the application's id can register more. */
const MAX_OTHERS = 20

const DAY_SECONDS = DAY_MS / 1000

const EMPTY: Notification = { msg: null, sound: null, badge: null, payload: null }

export const NOTHING_SHOWN = failure('ConflictError', 'The push shows nothing: there is nothing to take back.')
const NOT_SENT = failure('ConflictError', 'The push has not been sent yet: cancel it.')
const NOBODY = failure(
  'ConflictError',
  'The push was sent to no device of these platforms. Browsers are reached only if platform names them.',
)

/**
 * Removes or replaces notifications that devices show, by a push to those the first was sent to and that its audience
 * still has: accepted devices are not recorded one by one.
 */
export function createTakeBack(deps: Dependencies) {
  const { clock, store, receipts, pushes, cancel, prepared } = deps

  /** Throws `Refused` for what no device shows. */
  function found({ number }: Application, id: string): ShownPush {
    const push = store.find(number, id)
    if (push === null) throw noPush()
    if (!hasText(push.notification)) throw new Refused(NOTHING_SHOWN)
    if (push.state === 'scheduled') throw new Refused(NOT_SENT)
    return push
  }

  function onPlatforms({ filter }: ShownPush, wanted: readonly Platform[]): Filter {
    const platforms = filter.platforms.filter((one) => wanted.includes(one))
    if (platforms.length === 0) throw new Refused(NOBODY)
    return { ...filter, platforms }
  }

  function add(application: Application, notification: Notification, filter: Filter, takesBack?: number) {
    const id = Bun.randomUUIDv7()
    const number = pushes.accept(application.number, {
      id,
      notification,
      audience: { filter },
      createdAt: clock.now(),
      timeToLiveMs: timeToLiveMs(notification),
      sendAt: null,
      waves: [],
      ...(takesBack !== undefined && { takesBack }),
    })
    return { id, number }
  }

  function accepted(application: Application, push: number): void {
    deps.wake?.(application.number, push)
    deps.onAccepted?.(application.number, 'now')
  }

  return {
    /** Idempotent. Cancels what has not been sent yet. `platforms`: default all but browsers. Throws `Refused`. */
    async withdraw(
      application: Application,
      id: string,
      { platforms = PHONES, sending, commit = deps.commit }: Wanted & { readonly sending?: SendingEnd },
    ): Promise<Withdrawal> {
      if (deps.hasRoom?.() === false) throw new Refused(noRoom())
      const { number } = application
      const done = await commit(() => {
        const push = found(application, id)
        if (push.withdrawnAs !== null) return { id: push.withdrawnAs, number: null, cancelled: false, open: [] }
        const filter = onPlatforms(push, platforms)
        const outcome = push.state === 'open' ? cancel(number, id, clock.now()) : null
        const open = outcome?.kind === 'cancelled' ? outcome.open : []
        for (const one of open) sending?.cancelStored(number, one)
        const added = add(application, withdrawing(push.notification, id), filter, push.number)
        return { ...added, cancelled: push.state === 'open', open }
      })
      for (const one of done.open) sending?.cancel(number, one)
      if (done.number !== null) accepted(application, done.number)
      return { id: done.id, cancelled: done.cancelled }
    },

    /** Sends the push again with another text, silently, in place of what is shown. Returns the id of the new push. */
    async replace(
      application: Application,
      id: string,
      text: NewText,
      { platforms = PLATFORMS, commit = deps.commit }: Wanted,
    ): Promise<string> {
      if (deps.hasRoom?.() === false) throw new Refused(noRoom())
      const added = await commit(() => {
        const push = found(application, id)
        const filter = onPlatforms(push, platforms)
        return add(application, prepared(application, withText(push.notification, id, text), filter.platforms), filter)
      })
      accepted(application, added.number)
      return added.id
    },

    /**
     * Before a user's first tap on this push is recorded: withdraws it from their other phones, if the device was sent
     * the push. Runs in a transaction of the caller, who calls the result after it. `null`: nothing to withdraw.
     */
    clear(application: Application, platform: Platform, { push: id, token }: Receipt): (() => void) | null {
      if (id === null || token === null || deps.hasRoom?.() === false) return null
      const push = store.find(application.number, id)
      if (push === null || push.withdrawnAs !== null || !hasText(push.notification)) return null
      const { own, others } = store.devicesOf(application.number, platform, token, MAX_OTHERS + 1)
      const all = [own, ...others]
      if (others.length === 0) return null
      if (
        receipts.isOpenedBy(
          push.number,
          all.map((one) => one.id),
        )
      )
        return null
      const sent = new Set(store.among(application.number, push.filter, all))
      const phones = others.filter((one) => sent.has(one.id) && PHONES.includes(one.platform))
      if (!sent.has(own.id) || phones.length === 0) return null
      const platforms = [...new Set(phones.map((one) => one.platform))]
      const filter = { ...filterOf({ platform: platforms }), devices: phones.map((one) => one.id) }
      const { number } = add(application, withdrawing(push.notification, id), filter, 0)
      return () => accepted(application, number)
    },
  }
}

/** Kept for as long as the push may still arrive. */
function withdrawing({ collapse, ttl = 0 }: Notification, id: string): Notification {
  return { ...EMPTY, ttl: Math.max(ttl, DAY_SECONDS), withdraws: { withdrawn: id, tag: collapse ?? id } }
}

/** Without a sound, and without overrides that have another text. */
function withText(shown: Notification, id: string, { title, msg }: NewText): Notification {
  const { title: _, subtitle: __, languages: ___, apns: ____, fcm: _____, ...kept } = shown
  const text = { msg, ...(title !== null && { title }) }
  return { ...kept, ...text, sound: null, badge: null, collapse: shown.collapse ?? id, interruption: 'passive' }
}
