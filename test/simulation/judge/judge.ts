import { BadgeChecks } from './badge-checks.ts'
import { Course } from './course.ts'
import type { Clocks } from './course.ts'
import { EventChecks } from './event-checks.ts'
import type { Invariant, Violation } from './invariants.ts'
import { LineChecks, lineOf } from './line-checks.ts'
import { isKnownGone, Phones } from './phones.ts'
import type { Phone } from './phones.ts'
import { rootOf } from './pushes.ts'
import type { Push, Send } from './pushes.ts'
import { RecordChecks } from './record-checks.ts'
import { ReportChecks } from './report-checks.ts'
import type { Report } from './report-checks.ts'
import { SendChecks } from './send-checks.ts'
import { SpentCalls } from './spent-calls.ts'
import { TextChecks } from './text-checks.ts'
import { Verdict } from './verdict.ts'
import type { Reply } from '../world/answers.ts'
import type { Gateway } from '../world/answer-tables.ts'
import { serviceOf } from '../world/browsers.ts'
import type { PushService } from '../world/browsers.ts'
import type { Arrival, Whose } from '../world/gateways.ts'
import { QUOTA } from '../world/template.ts'
import { ALLOWANCE } from './allowance.ts'

const PLATFORMS: Readonly<Record<Gateway, 0 | 1 | 2>> = { apns: 0, fcm: 1, webpush: 2 }

/** Hears everything that happens in a world and passes it to the checks. `violation` is the first broken promise. */
export class Judge {
  readonly phones = new Phones()
  readonly pushes: Push[] = []
  readonly course: Course
  /** Least hold of pushes to many of the first application, in ms. */
  heldMs = 0
  readonly #verdict = new Verdict()
  readonly #sends: SendChecks
  readonly #lines: LineChecks
  readonly #events: EventChecks
  readonly #records: RecordChecks
  readonly #badges: BadgeChecks
  readonly #texts: TextChecks
  readonly #reports: ReportChecks
  readonly #spent = new SpentCalls(QUOTA)
  /** Credentials that a gateway has accepted something with. */
  readonly #good = new Set<string>()
  /** When a request to Apple's sandbox was last lost, perhaps with a refusal of the credential. */
  #sandboxLostAt = Number.NEGATIVE_INFINITY

  constructor(clocks: Clocks) {
    const course = new Course(clocks)
    const [verdict, phones] = [this.#verdict, this.phones]
    this.course = course
    this.#sends = new SendChecks(course, verdict)
    this.#lines = new LineChecks(course, verdict, phones)
    this.#events = new EventChecks(course, verdict, phones)
    this.#badges = new BadgeChecks(course, verdict)
    this.#texts = new TextChecks(verdict)
    this.#reports = new ReportChecks(course, verdict)
    this.#records = new RecordChecks({ course, verdict, phones, events: this.#events, badges: this.#badges })
  }

  get violation(): Violation | null {
    return this.#verdict.violation
  }

  fail(invariant: Invariant, what: string): void {
    this.#verdict.fail(invariant, what)
  }

  expect(holds: boolean, invariant: Invariant, what: () => string): void {
    this.#verdict.expect(holds, invariant, what)
  }

  /** The service died, or cannot go on. */
  crashed(life: number): void {
    const from = this.course.crashed(life)
    this.#lines.crashed()
    this.#spent.forget(from)
    // What it heard may not be stored.
    for (const phone of this.phones.all()) {
      if (phone.goneAt !== null && phone.goneAt > from) phone.goneAt = null
      this.#badges.crashed(phone, from, this.pushes)
    }
    this.#events.crashed(from)
  }

  setBack(): void {
    const { course } = this
    course.setBack()
    const heardFrom = course.ranBefore(ALLOWANCE.settledMs)
    // A 410 from before a registration is believed if the answer is stored before the time of that registration.
    for (const phone of this.phones.all()) {
      if (phone.outdatedAt < heardFrom) continue
      Object.assign(phone, { state: 'unsure', lostAt: course.passedMs, changedAt: course.passedMs })
    }
  }

  /** A command has replaced an application's credential for a gateway. */
  replaced(application: Whose, gateway: Gateway, credential: number): void {
    // It may have been in use since it was asked for.
    if (this.credentialOf(application, gateway).at <= this.course.passedMs) this.#forgetGood(application, gateway)
    this.#lines.replaced(application, gateway, credential)
    const { passedMs } = this.course
    for (const phone of this.phones.all()) {
      if (phone.application !== application || PLATFORMS[gateway] !== phone.platform || phone.asideAt === null) continue
      // An unstored refusal does not count yet. After a clock was put back, the phone waits for its time.
      if (phone.asideAt > this.course.ranBefore(ALLOWANCE.settledMs) || this.course.wasSetBackSince(phone.asideAt))
        continue
      phone.backSince = passedMs
    }
  }

  /** A replacement was asked for, and may be in use from now on. */
  replacing(application: Whose, gateway: Gateway, credential: number): void {
    this.#forgetGood(application, gateway)
    this.#lines.replaced(application, gateway, credential, Number.POSITIVE_INFINITY)
  }

  /** Nothing is known of a new credential, even if it was used before. */
  #forgetGood(application: Whose, gateway: Gateway): void {
    for (const credential of [0, 1]) this.#good.delete(lineOf({ application, gateway, credential }))
    for (const phone of this.phones.all()) {
      if (phone.application === application && PLATFORMS[gateway] === phone.platform) phone.heldBy = null
    }
  }

  /** An application's credential for a gateway, and since when. */
  credentialOf(application: Whose, gateway: Gateway): { readonly credential: number; readonly at: number } {
    return this.#lines.credentialOf(application, gateway)
  }

  /** The metered application makes a call. The returned function: whether it was granted. */
  spends(): (isGranted: boolean) => void {
    const call = this.#spent.ask(this.course.now)
    return (isGranted) => {
      const wrong = this.#spent.answered(call, isGranted, this.course.passedMs)
      this.expect(wrong === null, 'quota-is-kept', () => `a call of ${call.day}: ${wrong}`)
    }
  }

  /** Changes the quota. The returned function: it has changed. */
  quotaChanges(calls: number): () => void {
    return this.#spent.change(calls)
  }

  /** An app reports something about a push. The returned function: the report was taken. */
  reports(push: Push, phone: Phone, report: Report): () => void {
    return this.#reports.reports(push, phone, report)
  }

  /** Phones were or may have been erased with their user. */
  erased(phones: readonly Phone[]): void {
    this.#reports.erased(phones)
  }

  /** A request is on its way to a gateway. The returned function: what the service hears. */
  arrived(arrival: Arrival, reply: Reply): (heard: Reply) => void {
    const push = this.#pushOf(arrival)
    const phone = this.phones.of(arrival.application, arrival.token)
    if (push === undefined || phone === null) {
      this.fail('only-the-audience', `push ${arrival.push} was sent to ${arrival.token}, which nobody knows`)
      return () => {}
    }
    this.expect(
      push.application === arrival.application,
      'applications-are-apart',
      () => `push ${push.number} of application ${push.application} went to phone ${phone.number}`,
    )
    // If the answer to the push was lost, this shows that the service took it.
    push.id ??= arrival.id
    const sends = push.sends.get(phone) ?? []
    push.sends.set(phone, sends)
    const { passedMs: at, life, grantedAt } = this.course
    // Another environment or a new token is tried immediately.
    const begunAt = sends.findLast((one) => one.answeredAt === at && one.life === life)?.begunAt ?? at
    const send: Send = { arrival, reply, at, begunAt, life, grantedAt, answeredAt: null }
    const before = [...sends]
    sends.push(send)
    this.#sends.check(push, phone, before, send)
    this.#badges.shows(phone, send, this.pushes)
    this.#texts.check(push, phone, send)
    this.#lines.check(push, phone, before, send)
    return (heard) => {
      const answeredAt = this.course.passedMs
      send.answeredAt = answeredAt
      send.reply = heard
      this.#lines.heard(phone, send, answeredAt)
      this.#hearOfCredential(send)
      this.#hear(phone, send)
    }
  }

  /** A resent push keeps the number of the first call. */
  #pushOf({ push: number, id }: Arrival): Push | undefined {
    const first = this.pushes[number]
    if (first === undefined || first.id === null || first.id === id) return first
    const again = this.pushes.filter((push) => push !== first && rootOf(push) === first)
    return again.find((push) => push.id === id) ?? again.findLast((push) => push.id === null) ?? first
  }

  /** With the first acceptance, tokens that were refused before are known to be refused for themselves. */
  #hearOfCredential({ reply, arrival }: Send): void {
    const line = lineOf(arrival)
    if (this.#good.has(line) || (reply.says !== 'accepted' && reply.says !== 'gone')) return
    this.#good.add(line)
    for (const phone of this.phones.all()) if (phone.heldBy === line) this.#leaves(phone, reply)
  }

  #hear(phone: Phone, send: Send): void {
    const { reply, arrival, begunAt: at } = send
    // It has registered since the time that Apple gives.
    const hasReturned = reply.since !== null && reply.since < phone.registeredAt
    // After a clock was put back, nobody knows.
    if (hasReturned && phone.registeredAt <= this.course.now) {
      phone.outdatedAt = this.course.passedMs
      return
    }
    // A refusal without a time does not affect a registration after the request, but the push has failed for it.
    if (reply.since === null && phone.seenAt > at) {
      if (['bad-token', 'mismatch', 'suspect'].includes(reply.says)) phone.changedAt = this.course.passedMs
      return
    }
    // The other environment takes it, unless it has refused the credential as it closed a connection. That is believed
    // for a while, and the token counts as bad.
    const isRefusedThere = this.#sandboxLostAt > this.course.passedMs - ALLOWANCE.refusedMs
    if (reply.says === 'lost' && arrival.environment === 'sandbox') this.#sandboxLostAt = this.course.passedMs
    const isOfOther =
      reply.says === 'bad-token' &&
      phone.fate.state === 'sandbox' &&
      arrival.environment === 'production' &&
      !isRefusedThere
    const isBad = phone.fate.state === 'sandbox' && arrival.environment === 'sandbox' && reply.says !== 'accepted'
    if (isOfOther || !(isBad || ['gone', 'bad-token', 'mismatch', 'suspect'].includes(reply.says))) return
    if (arrival.token !== phone.token) {
      // A refusal of a token does not concern its successor, but their order may be unknown.
      if (phone.calls > 0 || phone.tokenBefore !== null) phone.state = 'unsure'
      return
    }
    const line = lineOf(arrival)
    // The task may have been taken before its access token and that registration came: the device may stay.
    const mayStay = reply.since === null && send.grantedAt === send.at
    if (reply.says === 'gone' || this.#good.has(line)) return this.#leaves(phone, reply, mayStay)
    // It stays until the credential is known to be good.
    phone.heldBy = line
    phone.changedAt = this.course.passedMs
  }

  #leaves(phone: Phone, { says }: Reply, mayStay = false): void {
    const { passedMs } = this.course
    const isAside = phone.heldBy !== null || says !== 'gone'
    const isThere = phone.state === 'present' || phone.asideAt !== null
    if (!isAside && !mayStay && phone.state === 'present') phone.goneAt ??= passedMs
    const asideAt = isAside && isThere ? passedMs : null
    Object.assign(phone, { state: 'unsure', heldBy: null, asideAt, backSince: null })
    phone.lostAt = phone.changedAt = passedMs
  }

  saw(push: Push, status: number, body: any): void {
    this.#records.saw(push, status, body)
    if (status !== 200) return
    this.#reports.saw(push, body)
    this.#texts.saw(push, body)
  }

  /** A look at a device was answered; `null`: without a badge. */
  sawBadge(phone: Phone, badge: number | null): void {
    this.#badges.saw(phone, badge, this.pushes)
  }

  /** While one push service rests, browsers at the others that took the last push but one must have the last. */
  othersAreServed(service: PushService): void {
    const [before, last] = this.pushes.slice(-2)
    if (before === undefined || last === undefined || last.state !== 'accepted') return
    const { life } = this.course
    for (const phone of last.owed) {
      if (phone.platform !== 2 || serviceOf(phone.number) === service || phone.changedAt >= before.askedAt) continue
      const isWell = before.sends.get(phone)?.some((send) => send.life === life && send.reply.says === 'accepted')
      this.expect(
        isWell !== true || last.sends.has(phone),
        'others-are-served',
        () => `push ${last.number} has not gone to browser ${phone.number} while ${service} rests`,
      )
    }
  }

  telling(application: Whose, event: any): void {
    this.#events.telling(application, event)
  }

  /** `isHeard`: by the service that sent the event. */
  refusedEvents(application: Whose, isHeard: boolean): void {
    this.#events.refusedEvents(application, isHeard)
  }

  told(application: Whose, id: string, event: any): void {
    this.#events.told(application, id, event)
    if (event.type !== 'push.opened') return
    const { data } = event
    const push = this.pushes.find((one) => one.id === data.id)
    const phone = data.token === undefined ? null : this.phones.of(application, data.token)
    if (push === undefined || phone === null) return
    this.#reports.told(push, phone, { event: data.event, action: data.action ?? '' }, id)
  }

  /** Whether each call is answered and each end told. */
  get isTold(): boolean {
    const isTold = (phone: Phone) => phone.calls === 0 && (!isKnownGone(phone) || this.#events.isToldGone(phone))
    return (
      this.pushes.every((push) => push.state !== 'asked' && this.#events.isToldEnd(push)) &&
      this.phones.all().every(isTold) &&
      this.#areReportsTold
    )
  }

  get #areReportsTold(): boolean {
    return this.#reports.isTold(({ application }) => this.#events.isUnwilling(application))
  }

  /** Whether nothing more will happen. */
  get isOver(): boolean {
    return this.isTold && this.pushes.every(({ id, end }) => id === null || end !== null)
  }

  /** An application's whole registry. It settles what was unsure. */
  listed(application: Whose, records: readonly any[]): void {
    this.#records.listed(application, records, this.pushes)
  }

  /** An answer named these tokens of an application. */
  named(application: Whose, tokens: readonly string[]): void {
    this.#records.named(application, tokens)
  }

  /** An application's sums, read when everything was finished. */
  summed(application: Whose, sums: any): void {
    this.#records.summed(application, sums, this.pushes)
  }

  /** Everything has had its time. */
  ended(): void {
    this.#records.ended(this.pushes)
    this.expect(this.#areReportsTold, 'events-are-told', () => 'of what an app has reported nobody was told')
  }
}
