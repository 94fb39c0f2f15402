import { ALLOWANCE } from './allowance.ts'
import type { Course } from './course.ts'
import type { Phone } from './phones.ts'
import type { Push, Send } from './pushes.ts'
import type { Verdict } from './verdict.ts'

/** The badge of pushes that set one. */
const SET_TO = 5

/** Judges shown and stored badges: a push changes a badge once, whatever dies. */
export class BadgeChecks {
  readonly #course: Course
  readonly #verdict: Verdict

  constructor(course: Course, verdict: Verdict) {
    this.#course = course
    this.#verdict = verdict
  }

  /**
   * A request shows the badge stored at that time, taken or not: at most the set badge plus one for each push that adds
   * one, however often it was sent.
   */
  shows(phone: Phone, { arrival, begunAt: at, grantedAt }: Send, pushes: readonly Push[]): void {
    const { badge } = arrival
    if (badge === null) return
    // A request begun before a call, or perhaps before it, shows the badge stored then.
    const isAfter = phone.counted !== null && at > phone.counted.since && at !== grantedAt && phone.calls === 0
    const counted = isAfter ? phone.counted : null
    // A push sent before that call has counted since.
    const from = counted?.from ?? Number.NEGATIVE_INFINITY
    const counting = sent(phone, pushes).filter(({ sends }) => (sends.get(phone)?.[0]?.at ?? 0) >= from)
    const changing = [...counting, ...this.#unsent(phone, pushes)].filter(({ step }) => step.badge !== '')
    const isSet = changing.some(({ step }) => step.badge !== '+1')
    const adding = changing.filter(({ step }) => step.badge === '+1')
    const most = Math.max(counted?.badge ?? phone.badgeSet, isSet ? SET_TO : 0) + adding.length
    this.#verdict.expect(
      badge <= most,
      'badge-is-shown',
      () => `push ${arrival.push} showed phone ${phone.number} ${badge}, where there can be ${most} at the most`,
    )
    if (at < phone.badgeAt) return
    // A request that waited for an access token began earlier. Whether it preceded a call in between is unknown.
    const isAmidOther = at === phone.badgeAt || at <= phone.badgeCallUntil
    const isUnsure = at === grantedAt || (isAmidOther && phone.badge !== badge)
    phone.badge = isUnsure ? null : badge
    phone.badgeAt = at
  }

  /**
   * The service died, and what came after `from` may not be stored. A retry shows what a page of another push has just
   * added. A power cut may undo that page: the other push adds it later, or not at all if it expires.
   */
  crashed(phone: Phone, from: number, pushes: readonly Push[]): void {
    if (phone.badgeAt < from || phone.badge === null) return
    const wasRetry = sent(phone, pushes).some((push) =>
      push.sends.get(phone)?.some(({ begunAt }, nth) => nth > 0 && begunAt === phone.badgeAt),
    )
    if (wasRetry && this.#unsent(phone, pushes).some(({ step }) => step.badge !== '')) phone.badge = null
  }

  /** A look at a device was answered; `null`: no device. */
  saw(phone: Phone, stored: number | null, pushes: readonly Push[]): void {
    const sends = sent(phone, pushes).flatMap((push) => push.sends.get(phone) ?? [])
    const from = this.#course.ranBefore(ALLOWANCE.settledMs)
    const isQuiet = sends.every(({ answeredAt }) => answeredAt !== null && answeredAt < from)
    if (isQuiet && phone.state === 'present' && phone.calls === 0) this.stored(phone, stored, pushes)
  }

  /** The stored badge is the last one sent, and counts each push once. */
  stored(phone: Phone, stored: number | null, pushes: readonly Push[]): void {
    const { number, badge, counted } = phone
    const unsent = this.#unsent(phone, pushes)
    const more = unsent.filter(({ step }) => step.badge === '+1').length
    const set = more < unsent.length ? SET_TO : badge
    this.#verdict.expect(
      badge === null ||
        set === null ||
        (stored !== null && stored >= Math.min(badge, set) && stored <= Math.max(badge, set) + more),
      'badge-is-shown',
      () => `phone ${number} has badge ${stored}, and shows ${badge}`,
    )
    if (counted === null || stored === null) return
    const since = sent(phone, pushes).filter(({ sends }) => sends.get(phone)?.some(({ at }) => at >= counted.since))
    if ([...since, ...unsent].some(({ step }) => step.badge !== '+1' && step.badge !== '')) return
    // Pushes asked for earlier may have counted earlier.
    const adding = since.filter(({ step, askedAt }) => step.badge === '+1' && askedAt > counted.since)
    this.#verdict.expect(
      stored >= counted.badge + adding.length,
      'badge-is-shown',
      () => `phone ${number} has badge ${stored}, of ${counted.badge} and ${adding.length} pushes that add one`,
    )
  }

  /** Pushes that may have changed a phone's badge without being sent to it, or once more. */
  #unsent(phone: Phone, pushes: readonly Push[]): readonly Push[] {
    return pushes.filter((push) => {
      const { step, application, state, sends, askedAt, barred } = push
      if (step.badge === '' || application !== phone.application || state === 'refused') return false
      if (this.#course.mayBeInTwoWaves(push, phone)) return true
      if (sends.has(phone)) return false
      const hasChanged = phone.changedAt >= askedAt || phone.calls > 0
      if (barred.has(phone) && !hasChanged) return false
      return push.end === null || push.cancel !== 'no' || push.mayExpire || hasChanged || isRefused(push)
    })
  }
}

function sent(phone: Phone, pushes: readonly Push[]): readonly Push[] {
  return pushes.filter((push) => push.sends.has(phone))
}

/** Whether a gateway refused the push itself: nobody else gets it. */
function isRefused({ sends }: Push): boolean {
  return [...sends.values()].some((some) => some.some(({ reply }) => reply.says === 'bad-push'))
}
