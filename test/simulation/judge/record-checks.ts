import type { BadgeChecks } from './badge-checks.ts'
import type { Course } from './course.ts'
import type { EventChecks } from './event-checks.ts'
import { isKnownGone } from './phones.ts'
import type { Phone, Phones } from './phones.ts'
import { lastWord } from './pushes.ts'
import type { Push } from './pushes.ts'
import type { Verdict } from './verdict.ts'
import type { Whose } from '../world/gateways.ts'

interface Dependencies {
  readonly course: Course
  readonly verdict: Verdict
  readonly phones: Phones
  readonly events: Pick<EventChecks, 'isToldEnd' | 'isToldGone'>
  readonly badges: Pick<BadgeChecks, 'stored'>
}

/** Judges what the service reports: statuses of pushes, the registry, and the end of everything. */
export class RecordChecks {
  readonly #course: Course
  readonly #verdict: Verdict
  readonly #phones: Phones
  readonly #events: Dependencies['events']
  readonly #badges: Dependencies['badges']

  constructor({ course, verdict, phones, events, badges }: Dependencies) {
    this.#course = course
    this.#verdict = verdict
    this.#phones = phones
    this.#events = events
    this.#badges = badges
  }

  saw(push: Push, status: number, body: any): void {
    this.#verdict.expect(status === 200, 'answered-is-kept', () => `push ${push.number} is not there: ${status}`)
    if (status !== 200) return
    const { t, s, failed, waiting, state } = body
    this.#verdict.expect(
      t === s + failed.total + waiting,
      'counts-add-up',
      () => `push ${push.number}, ${state}: ${t} = ${s} + ${failed.total} + ${waiting}`,
    )
    if (state === 'finished' || state === 'cancelled') {
      if (waiting === 0) push.end = { t, s, failed: failed.total }
    }
  }

  /** An application's whole registry. It settles what was unsure. */
  listed(application: Whose, records: readonly any[], pushes: readonly Push[]): void {
    const byToken = new Map(records.map((record) => [record.token, record]))
    for (const phone of this.#phones.all()) {
      if (phone.application !== application) continue
      // A move without an answer may have been made.
      const before = phone.tokenBefore === null ? null : (byToken.get(phone.tokenBefore) ?? null)
      if (before !== null) phone.token = before.token
      phone.tokenBefore = null
      const record = byToken.get(phone.token) ?? null
      this.#checkRegistered(phone, record, pushes)
      const state = record === null ? 'absent' : 'present'
      if (phone.state === 'unsure') Object.assign(phone, { state, changedAt: this.#course.passedMs })
      const { user = '', locale = '', timezone: zone = '' } = record ?? {}
      if (record !== null)
        Object.assign(phone, { tags: new Set(record.tag), badge: record.badge, user, locale, zone, asideAt: null })
      phone.backSince = null
    }
  }

  #checkRegistered(phone: Phone, record: any, pushes: readonly Push[]): void {
    const { number, state, tags } = phone
    const isThere = record !== null
    this.#verdict.expect(
      state === 'unsure' || (state === 'present') === isThere,
      'answered-is-kept',
      () => `phone ${number} is ${state}, and ${isThere ? '' : 'not '}in the registry`,
    )
    const isGone = isKnownGone(phone)
    this.#verdict.expect(
      !isGone || !isThere,
      'gone-is-not-addressed',
      () => `phone ${number} is gone, and in the registry`,
    )
    this.#verdict.expect(
      !isGone || this.#events.isToldGone(phone),
      'events-are-told',
      () => `of phone ${number}, which is gone, nobody was told`,
    )
    this.#verdict.expect(
      isThere || phone.backSince === null,
      'aside-comes-back',
      () => `phone ${number} was set aside, and is not in the registry though the credential is another`,
    )
    if (!isThere) return
    this.#checkField(phone, 'user', phone.user, record.user)
    this.#checkField(phone, 'locale', phone.locale, record.locale)
    this.#checkField(phone, 'zone', phone.zone, record.timezone)
    const listed = record.tag.toSorted().join()
    const wanted = tags === null ? listed : [...tags].toSorted().join()
    this.#verdict.expect(
      listed === wanted,
      'answered-is-kept',
      () => `phone ${number} has tags ${listed}, not ${wanted}`,
    )
    this.#badges.stored(phone, record.badge, pushes)
  }

  #checkField({ number }: Phone, name: string, wanted: string | null, listed = ''): void {
    this.#verdict.expect(
      wanted === null || wanted === listed,
      'answered-is-kept',
      () => `phone ${number} has the ${name} "${listed}", not "${wanted}"`,
    )
  }

  /** No answer about refused tokens and failures may name erased phones. */
  named(application: Whose, tokens: readonly string[]): void {
    for (const token of tokens) {
      const phone = this.#phones.of(application, token)
      this.#verdict.expect(
        phone === null || phone.erasedAt === null,
        'erased-is-forgotten',
        () => `phone ${phone?.number}, which was erased with its user, is named still`,
      )
    }
  }

  summed(application: Whose, sums: any, pushes: readonly Push[]): void {
    const own = pushes.filter((push) => push.application === application && push.state !== 'refused')
    // Without its id, a push's counts are unknown.
    if (own.some(({ id, end }) => id === null || end === null)) return
    for (const name of ['t', 's'] as const) {
      const sum = own.reduce((all, { end }) => all + (end?.[name] ?? 0), 0)
      this.#verdict.expect(
        sums[name] === sum,
        'counts-add-up',
        () => `application ${application} has ${name} = ${sums[name]}, and its pushes ${sum}`,
      )
    }
  }

  /** Everything has had its time. */
  ended(pushes: readonly Push[]): void {
    for (const push of pushes) {
      if (push.id === null) continue
      const { number, end, cancel, mayExpire } = push
      this.#verdict.expect(
        end === null || this.#events.isToldEnd(push),
        'events-are-told',
        () => `nobody was told of the end of push ${number}`,
      )
      this.#verdict.expect(end !== null, 'it-comes-to-an-end', () => `push ${number} is still open`)
      if (end === null) continue
      if (cancel === 'no' && !mayExpire) {
        const missed = unreached(push)
        this.#verdict.expect(
          missed.length === 0,
          'everybody-is-reached',
          () => `push ${number} did not reach phones ${missed.map((phone) => phone.number).join(', ')}`,
        )
      }
      this.#checkCounts(push, end)
    }
  }

  /** Compares with the last answers that the service heard. */
  #checkCounts(push: Push, end: NonNullable<Push['end']>): void {
    const words = [...push.sends.values()].map((sends) => sends.findLast(({ answeredAt }) => answeredAt !== null))
    const accepted = words.filter((send) => send?.reply.says === 'accepted')
    const taken = accepted.length
    // An acceptance that was not stored before a crash is repeated, unless the phone has left or the push has ended.
    const certain = accepted.filter((send) => send !== undefined && this.#course.isWritten(send)).length
    const isOver = push.cancel !== 'no' || push.mayExpire
    const twice = this.#phones
      .all()
      .filter((phone) => this.#course.mayBeInTwoWaves(push, phone) && tookTwice(push, phone))
    this.#verdict.expect(
      end.s <= taken + twice.length && (end.s >= certain || isOver),
      'counts-are-true',
      () => `push ${push.number}: s is ${end.s}, and ${taken} were taken`,
    )
  }
}

function tookTwice({ sends }: Push, phone: Phone): boolean {
  return (
    (sends.get(phone) ?? []).filter(({ answeredAt, reply }) => answeredAt !== null && reply.says === 'accepted')
      .length > 1
  )
}

/** Phones that must get a push, have stayed, and have no final answer. */
function unreached(push: Push): Phone[] {
  return [...push.owed].filter((phone) => {
    if (phone.changedAt >= push.askedAt) return false
    return lastWord(push.sends.get(phone) ?? [], phone) === null
  })
}
