import { ALLOWANCE } from './allowance.ts'
import type { Course } from './course.ts'
import type { Phone } from './phones.ts'
import { lastWord, momentIn } from './pushes.ts'
import type { Push, Send } from './pushes.ts'
import type { Verdict } from './verdict.ts'

/** Judges whether this phone may get this request of a push now, and how. */
export class SendChecks {
  readonly #course: Course
  readonly #verdict: Verdict

  constructor(course: Course, verdict: Verdict) {
    this.#course = course
    this.#verdict = verdict
  }

  /** `sends`: earlier requests of this push to this phone. */
  check(push: Push, phone: Phone, sends: readonly Send[], send: Send): void {
    this.#checkIdentity(push, phone, sends, send)
    this.#checkRepeat(push, phone, sends)
    this.#checkCancelled(push, phone)
    this.#checkAudience(push, phone)
    this.#checkStayed(push, phone, send)
    this.#checkTime(push, phone)
    this.#checkKeys(push, phone, send)
    this.#checkToken(push, phone, send)
  }

  #checkIdentity(push: Push, phone: Phone, sends: readonly Send[], { arrival }: Send): void {
    // A phone that comes anew in another zone is another device, and the first one's request may be repeated.
    const isTwo = phone.anewAt >= push.askedAt && this.#course.mayBeInTwoWaves(push, phone)
    const other = isTwo ? undefined : sends.find(({ arrival: before }) => before.identity !== arrival.identity)
    this.#verdict.expect(
      other === undefined,
      'one-identity',
      () =>
        `push ${push.number} went to phone ${phone.number} as ${other?.arrival.identity} and as ${arrival.identity}`,
    )
  }

  #checkRepeat(push: Push, phone: Phone, sends: readonly Send[]): void {
    const last = lastWord(sends, phone)
    if (last === null || last.answeredAt === null) return
    if (this.#course.mayBeInTwoWaves(push, phone)) return
    this.#verdict.expect(
      !this.#course.isWritten(last),
      'no-needless-repeat',
      () => `push ${push.number} went to phone ${phone.number} again, ${last.reply.says} before`,
    )
  }

  #checkCancelled(push: Push, phone: Phone): void {
    this.#verdict.expect(
      push.cancel !== 'done',
      'cancelled-is-quiet',
      () => `push ${push.number} went to phone ${phone.number} after it was cancelled`,
    )
  }

  #checkAudience(push: Push, phone: Phone): void {
    const { step } = push
    if (step.to.kind === 'one') {
      const { phone: wanted } = step.to
      this.#verdict.expect(
        wanted === phone.number,
        'only-the-audience',
        () => `push ${push.number} to phone ${wanted} went to phone ${phone.number}`,
      )
    }
    this.#verdict.expect(
      !push.barred.has(phone) || phone.changedAt >= push.askedAt || phone.calls > 0,
      'only-the-audience',
      () => `push ${push.number} went to phone ${phone.number}, who is not in its audience`,
    )
    this.#verdict.expect(
      phone.state !== 'absent' || phone.changedAt >= push.askedAt || phone.calls > 0,
      'gone-is-not-addressed',
      () => `push ${push.number} went to phone ${phone.number}, which had left before it was asked for`,
    )
  }

  /** A request that waited for the other environment or an access token began earlier. */
  #checkStayed(push: Push, phone: Phone, { at, begunAt, grantedAt }: Send): void {
    const wasOnItsWay = begunAt < at || grantedAt === at
    this.#verdict.expect(
      phone.state !== 'absent' ||
        phone.calls > 0 ||
        wasOnItsWay ||
        phone.changedAt > this.#course.ranBefore(ALLOWANCE.noticedMs),
      'gone-is-not-addressed',
      () => `push ${push.number} went to phone ${phone.number} ${at - phone.changedAt} ms after it had left`,
    )
  }

  /** During a registration its keys are unknown. */
  #checkKeys(push: Push, phone: Phone, { arrival }: Send): void {
    if (arrival.pair === null || phone.pair === null || phone.calls > 0) return
    this.#verdict.expect(
      arrival.pair === phone.pair || phone.pairAt > this.#course.ranBefore(ALLOWANCE.noticedMs),
      'browsers-can-read',
      () => `push ${push.number} went to browser ${phone.number} encrypted for keys that it has no more`,
    )
  }

  /** A request under way to the earlier token arrives there. */
  #checkToken(push: Push, phone: Phone, { arrival, at, begunAt, grantedAt }: Send): void {
    const wasOnItsWay = begunAt < at || grantedAt === at
    this.#verdict.expect(
      arrival.token === phone.token ||
        phone.tokenBefore !== null ||
        phone.calls > 0 ||
        wasOnItsWay ||
        phone.movedAt > this.#course.ranBefore(ALLOWANCE.noticedMs),
      'tokens-follow',
      () => `push ${push.number} went to phone ${phone.number} by a token that it has no more`,
    )
  }

  #checkTime(push: Push, phone: Phone): void {
    const { when } = push.step
    const { passedMs, disturbedAt } = this.#course
    // The time of day may differ from service time by less than a jump.
    const wanderedMs = disturbedAt > Number.NEGATIVE_INFINITY ? ALLOWANCE.wanderedMs : 0
    this.#verdict.expect(
      push.mayExpire || push.heldMs === 0 || passedMs + wanderedMs >= push.askedAt + push.heldMs,
      'hold-is-kept',
      () => `push ${push.number} went to phone ${phone.number} before its ${push.heldMs} ms were over`,
    )
    if (push.mayExpire || when.kind === 'now') return
    const from = when.kind === 'in' ? push.askedOn + when.seconds * 1000 : momentIn(push.wall ?? '', phone.zone ?? '')
    // A phone that has or may have moved is in another zone's wave.
    if (when.kind === 'local' && (phone.zone === null || phone.changedAt >= push.askedAt || phone.calls > 0)) return
    this.#verdict.expect(
      this.#course.now >= from,
      'not-before-its-time',
      () => `push ${push.number} went to phone ${phone.number} ${from - this.#course.now} ms too early`,
    )
  }
}
