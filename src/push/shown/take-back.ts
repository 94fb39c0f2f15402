import type { Application } from '../../application/application.ts'
import { filterOf } from '../../audience/filter-schema.ts'
import type { Filter } from '../../audience/filter.ts'
import { storedJson } from '../../database/damage.ts'
import type { Commit } from '../../database/group-commit.ts'
import { failure, noRoom, Refused } from '../../failure.ts'
import type { AnswerOf } from '../../http/answer-schema.ts'
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
import { CANCELLED } from '../explain/explanation.ts'
import type { IdempotencyStore } from '../idempotency-store.ts'
import { isRepeat } from '../idempotency-schema.ts'
import type { RepeatableCall } from '../idempotency-schema.ts'
import { withdrawing, withText } from './shown-notification.ts'
import type { NewText } from './shown-notification.ts'
import { noPush } from '../status/status-schema.ts'
import type { REPLACEMENT } from '../status/status-schema.ts'
import type { createShownStore, ShownPush } from './shown-store.ts'

type Prepared = (one: Application, wanted: Notification, platforms: readonly Platform[], what: string) => Notification

interface Dependencies extends Acceptance {
  readonly store: ReturnType<typeof createShownStore>
  readonly idempotency: IdempotencyStore
  readonly receipts: Pick<ReturnType<typeof createReceiptStore>, 'isOpenedBy'>
  readonly pushes: PushStore
  readonly cancel: CancelStore['cancel']
  readonly prepared: Prepared
}

/** What is being sent, by `push.number`. `cancelStored` ends it in the commit, `cancel` after it. */
export interface SendingEnd {
  readonly cancelStored: (application: number, push: number) => void
  readonly cancel: (application: number, push: number) => void
  /** Whether notifications may have arrived whose answers are not on disk. */
  readonly mayHaveReached: (application: number, push: number, platform: Platform) => boolean
}

interface Wanted {
  /** `undefined`: nothing is being sent. */
  readonly sending?: SendingEnd | undefined
  readonly platforms?: readonly Platform[]
  /** Default: that of the acceptance. */
  readonly commit?: Commit
}

interface Repeatable {
  /** `null`: without an Idempotency-Key. */
  readonly repeat?: RepeatableCall | null
}

type Replacement = AnswerOf<typeof REPLACEMENT>

interface Withdrawal {
  /** Of the push that withdraws it. */
  readonly id: string
  /** The push was still being sent. */
  readonly cancelled: boolean
}

/** Browsers restrict pushes that show nothing (the manual, "Browsers"). */
const PHONES = PLATFORMS.filter((platform) => PLATFORM[platform].provider !== 'webpush')

/** Devices of one user that a tap clears: anybody with the application's id can register more. */
const MAX_OTHERS = 20

const SIZED = 'msg and title, with what the push keeps,'

export const NOTHING_SHOWN = failure('ConflictError', 'The push shows nothing: there is nothing to take back.')
const NOT_SENT = failure('ConflictError', 'The push has not been sent yet: cancel it.')
const NOBODY_YET = failure('ConflictError', 'The push has reached no device yet: cancel it.')
const IS_ENDING = failure('ConflictError', 'The push is still being cancelled: repeat the call in a few seconds.')
const WAITS = failure('ConflictError', 'The push has not been sent in every time zone yet: cancel it first.')
const GOES_ON = failure(
  'ConflictError',
  'The push is still being sent to platforms that are not named: name them too, or cancel it first.',
)
const NOBODY = failure(
  'ConflictError',
  'The push was sent to no device of these platforms. Browsers are reached only if platform names them.',
)

/**
 * Removes or replaces notifications that devices show, by a push to those the first was sent to and that its audience
 * still has: accepted devices are not recorded one by one.
 */
export function createTakeBack(deps: Dependencies) {
  const { clock, store, receipts, pushes, cancel, prepared, idempotency } = deps

  /** Throws `Refused` for what no device shows. */
  function found({ number }: Application, id: string, sending: SendingEnd | undefined): ShownPush {
    const push = store.find(number, id, (part) => sending?.mayHaveReached(number, part.push, part.platform) ?? false)
    if (push === null) throw noPush()
    if (!hasText(push.notification)) throw new Refused(NOTHING_SHOWN)
    if (push.state === 'scheduled') throw new Refused(NOT_SENT)
    const isOver = push.state === 'over' || push.isCancelled
    if (!isOver && push.filter.platforms.length === 0) throw new Refused(NOBODY_YET)
    return push
  }

  /** In the commit; call the result after it. */
  function end({ number }: Application, push: ShownPush, id: string, sending: SendingEnd | undefined): () => void {
    const outcome = push.state === 'open' ? cancel(number, id, clock.now()) : null
    const open = outcome?.kind === 'cancelled' ? outcome.open : []
    for (const one of open) sending?.cancelStored(number, one)
    return () => {
      for (const one of open) sending?.cancel(number, one)
    }
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
      { platforms = PHONES, sending, commit = deps.commit }: Wanted,
    ): Promise<Withdrawal> {
      if (deps.hasRoom?.() === false) throw new Refused(noRoom())
      const done = await commit(() => {
        const push = found(application, id, sending)
        if (push.withdrawnAs !== null) return { id: push.withdrawnAs, number: null, cancelled: false, ended: null }
        const filter = onPlatforms(push, platforms)
        const ended = end(application, push, id, sending)
        const added = add(application, withdrawing(push.notification, id), filter, push.number)
        return { ...added, cancelled: push.state === 'open', ended }
      })
      done.ended?.()
      if (done.number !== null) accepted(application, done.number)
      return { id: done.id, cancelled: done.cancelled }
    },

    /**
     * Sends the push again with another text, silently, in place of what is shown, once per Idempotency-Key. What is
     * left of the push gets that text instead. Throws `Refused`.
     */
    async replace(
      application: Application,
      id: string,
      text: NewText,
      { platforms = PLATFORMS, sending, commit = deps.commit, repeat = null }: Wanted & Repeatable,
    ): Promise<Replacement> {
      const now = clock.now()
      const before = () => {
        const earlier = repeat && idempotency.find(application.number, repeat.key, now)
        return repeat && isRepeat(repeat, earlier) ? (storedJson(earlier.answer) as Replacement) : null
      }
      if (before() === null && deps.hasRoom?.() === false) throw new Refused(noRoom())
      const { answer, done } = await commit(() => {
        const earlier = before()
        if (earlier !== null) return { answer: earlier, done: null }
        const push = found(application, id, sending)
        const filter = onPlatforms(takenOver(push, platforms), platforms)
        const ended = end(application, push, id, sending)
        const notification = prepared(application, withText(push.notification, id, text), filter.platforms, SIZED)
        const added = add(application, notification, filter)
        const answer = { message: 'Replaced', id: added.id, cancelled: push.state === 'open' }
        if (repeat !== null) {
          const remembered = { digest: repeat.digest, push: added.number, answer: JSON.stringify(answer) }
          idempotency.keep(application.number, repeat.key, remembered, now)
        }
        return { answer, done: { ended, number: added.number } }
      })
      done?.ended()
      if (done !== null) accepted(application, done.number)
      return answer
    },

    /**
     * Before a user's first tap on this push is recorded: withdraws it from their other phones, if the device was sent
     * the push. Runs in a transaction of the caller, who calls the result after it. `null`: nothing to withdraw.
     */
    clear(application: Application, platform: Platform, { push: id, token }: Receipt): (() => void) | null {
      if (id === null || token === null || deps.hasRoom?.() === false) return null
      const push = store.find(application.number, id, () => true)
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

/** With those that an open push has not reached, whom nobody else may send the old text later. Throws `Refused`. */
function takenOver(push: ShownPush, platforms: readonly Platform[]): ShownPush {
  if (push.state !== 'open') return push
  if (push.isCancelled) throw new Refused(IS_ENDING)
  if (push.isToCome) throw new Refused(WAITS)
  if (push.openOn.some((one) => !platforms.includes(one))) throw new Refused(GOES_ON)
  const { filter } = push
  const { pushes, except = [], ...unsent } = filter.reached ?? { pushes: [] }
  const reached = { pushes, except: [...except, CANCELLED], ...unsent }
  return { ...push, filter: { ...filter, platforms: [...new Set([...filter.platforms, ...push.openOn])], reached } }
}
