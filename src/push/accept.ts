import type { Application } from '../application/application.ts'
import type { Audience, Filter } from '../audience/filter.ts'
import type { Clock } from '../clock.ts'
import { storedJson } from '../database/damage.ts'
import type { Commit } from '../database/group-commit.ts'
import { failure, noRoom, Refused } from '../failure.ts'
import type { Failure } from '../failure.ts'
import { timeToLiveMs } from '../notification/notification.ts'
import type { Notification } from '../notification/notification.ts'
import { isoTime } from '../text/format.ts'
import { isOut, isRepeat, isSame } from './idempotency-schema.ts'
import type { RepeatableCall } from './idempotency-schema.ts'
import type { IdempotencyStore, Remembered } from './idempotency-store.ts'
import type { PushStore } from './push-store.ts'
import { momentsOf } from './schedule/timing-schema.ts'
import type { ScheduleStore } from './schedule/schedule-store.ts'
import type { When } from './schedule/timing-schema.ts'
import type { AnswerOf } from '../http/answer-schema.ts'
import type { ACCEPTED } from './push-schema.ts'

export interface PushRequest {
  readonly notification: Notification
  readonly to: Many | One
  readonly when: When
  /** `null`: without an Idempotency-Key. */
  readonly repeat: (RepeatableCall & { readonly replace: boolean }) | null
  /** Aborts when the caller has gone. */
  readonly caller?: AbortSignal
}

interface Many {
  readonly kind: 'many'
  readonly filter: Filter
  /** The number of devices that the caller expects. */
  readonly confirm: number | null
  /** `push.number` of the push that is resent. */
  readonly resendOf?: number
}

interface One {
  readonly kind: 'one'
  /** Runs in the commit. */
  readonly find: () => Audience | Failure
}

/** Without these callbacks, delivery and schedule find new pushes by themselves. */
export interface Acceptance {
  readonly clock: Clock
  readonly commit: Commit
  /** Default: yes. */
  readonly hasRoom?: () => boolean
  /** Called with `push.number` once a push for now is on disk. */
  readonly wake?: (application: number, push: number) => void
  /** Called when a push was accepted for later. */
  readonly wakeSchedule?: () => void
  readonly onAccepted?: (application: number, when: 'now' | 'later') => void
}

interface Stores {
  readonly pushes: PushStore
  readonly schedule: ScheduleStore
  readonly idempotency: IdempotencyStore
  readonly count: (application: number, filter: Filter, caller?: AbortSignal) => Promise<number>
}

type Accepted = AnswerOf<typeof ACCEPTED>

export type AcceptPush = (application: Application, request: PushRequest) => Promise<Accepted>

const NOBODY_LEFT = 'The push failed for no device that is still registered and in its audience.'

/** Relative. Devices come and go meanwhile. */
const CONFIRM_TOLERANCE = 0.1

/** Accepts pushes: once per Idempotency-Key, for now or later. Throws `Refused`, which undoes what it has written. */
export function createAccept(deps: Acceptance, { pushes, schedule, idempotency, count }: Stores): AcceptPush {
  const { clock, commit } = deps

  return async function accept(application, request) {
    const { number: applicationNumber, limits } = application
    const { notification, to, when, repeat } = request
    const createdAt = clock.now()
    // First: a repeat is answered as before, whatever the hour and the registry.
    const before = repeat && answered(repeat, idempotency.find(applicationNumber, repeat.key, createdAt))
    // What was found may not be on disk yet: a commit answers after the sync that covers it.
    if (before !== null) return noted(applicationNumber, await commit(() => before))

    if (deps.hasRoom?.() === false) throw new Refused(noRoom())
    const holdMs = to.kind === 'many' ? limits.holdSeconds * 1000 : 0
    const moments = momentsOf(when, createdAt, holdMs)
    if (to.kind === 'many' && (limits.confirmAbove > 0 || to.resendOf !== undefined)) {
      const addressed = await count(applicationNumber, { asOf: createdAt, ...to.filter }, request.caller)
      if (to.resendOf !== undefined && addressed === 0) throw new Refused(failure('ConflictError', NOBODY_LEFT))
      if (limits.confirmAbove > 0) checkConfirmed(addressed, limits.confirmAbove, to.confirm)
    }
    const id = Bun.randomUUIDv7()
    const waves = when.kind === 'local' ? moments.map((sendAt) => ({ id: Bun.randomUUIDv7(), sendAt })) : []
    const sendAt = moments[0] ?? null

    const { accepted, push: stored } = await commit(() => {
      // Again: of two concurrent calls the second finds what the first has left.
      const earlier = repeat && idempotency.find(applicationNumber, repeat.key, createdAt)
      const before = repeat && answered(repeat, earlier)
      if (before !== null) return { accepted: before, push: null }
      if (repeat !== null && earlier !== null && !schedule.withdraw(earlier.push, createdAt)) throw isOut(repeat.key)
      const { resendOf } = to.kind === 'many' ? to : {}
      const resentAs = resendOf === undefined ? null : pushes.resentAs(resendOf)
      if (resentAs !== null) throw new Refused(alreadyResent(resentAs))
      const audience = to.kind === 'many' ? audienceOf({ asOf: createdAt, ...to.filter }, when) : found(to)
      const push = {
        id,
        notification,
        audience,
        // The clock may have been set since: the time to live begins now.
        createdAt: sendAt === null ? clock.now() : createdAt,
        timeToLiveMs: timeToLiveMs(notification),
        sendAt,
        waves,
        ...(when.kind === 'now' && holdMs > 0 && { heldUntil: clock.now() + holdMs }),
        ...(resendOf !== undefined && { resendOf }),
      }
      const number = pushes.accept(applicationNumber, push)
      const passed = when.kind === 'local' ? schedule.passedZones(applicationNumber, when.wall, createdAt) : []
      const answer = answerOf(id, sendAt, passed)
      if (repeat !== null) {
        const remembered = { digest: repeat.digest, push: number, answer: JSON.stringify(answer) }
        idempotency.keep(applicationNumber, repeat.key, remembered, createdAt)
      }
      return { accepted: answer, push: number }
    })
    if (stored !== null && sendAt === null) deps.wake?.(applicationNumber, stored)
    else deps.wakeSchedule?.()
    return noted(applicationNumber, accepted)
  }

  function noted(application: number, accepted: Accepted): Accepted {
    deps.onAccepted?.(application, accepted.message === 'Queued' ? 'now' : 'later')
    return accepted
  }
}

/** `null`: the key is new, or its push is to be replaced. */
function answered(repeat: NonNullable<PushRequest['repeat']>, earlier: Remembered | null): Accepted | null {
  if (repeat.replace && earlier !== null && !isSame(repeat, earlier)) return null
  return isRepeat(repeat, earlier) ? (storedJson(earlier.answer) as Accepted) : null
}

/** Only the later push knows whom it reached. */
export function alreadyResent(as: string): Failure {
  return failure('ConflictError', `The push was already resent as ${as}: resend that one.`)
}

function answerOf(id: string, sendAt: number | null, passed: readonly string[]): Accepted {
  if (sendAt === null) return { message: 'Queued', id }
  const send_at = isoTime(sendAt)
  return { message: 'Scheduled', id, send_at, ...(passed.length > 0 && { passed }) }
}

function found({ find }: One): Audience {
  const audience = find()
  if ('message' in audience) throw new Refused(audience)
  return audience
}

function audienceOf(filter: Filter, when: When): Audience {
  return when.kind === 'local' ? { filter, local: when.wall } : { filter }
}

function checkConfirmed(count: number, above: number, confirm: number | null): void {
  if (count <= above) return
  if (confirm !== null && Math.abs(confirm - count) <= count * CONFIRM_TOLERANCE) return
  const problem = `The push addresses ${count} devices, more than confirm-above ${above}`
  throw new Refused(failure('ConflictError', `${problem}: repeat it with "confirm": ${count}.`))
}
