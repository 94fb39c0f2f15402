import { ALLOWANCE } from './allowance.ts'
import type { Course } from './course.ts'
import type { Phone, Phones } from './phones.ts'
import type { Push } from './pushes.ts'
import type { Verdict } from './verdict.ts'
import type { Whose } from '../world/gateways.ts'

/** Judges events: each fact under one id, and nothing to receivers that want no more. */
export class EventChecks {
  readonly #course: Course
  readonly #verdict: Verdict
  readonly #phones: Phones
  /** Phones that a receiver was told are gone. */
  readonly #toldGone = new Set<Phone>()
  /** Applications whose receiver wants no more events, and since when the service knows. */
  readonly #unwilling = new Map<Whose, number>()
  /** By push id: the event of its end. */
  readonly #toldEnds = new Map<string, string>()

  constructor(course: Course, verdict: Verdict, phones: Phones) {
    this.#course = course
    this.#verdict = verdict
    this.#phones = phones
  }

  /** The service died, and what it heard after `from` may not be stored. */
  crashed(from: number): void {
    for (const [whose, at] of this.#unwilling) if (at > from) this.#unwilling.set(whose, Number.POSITIVE_INFINITY)
  }

  /** An event is on its way to a receiver. */
  telling(application: Whose, { data }: any): void {
    const phone = data.token === undefined ? null : this.#phones.of(application, data.token)
    const erasedAt = phone?.erasedAt ?? null
    this.#verdict.expect(
      erasedAt === null || erasedAt > this.#course.ranBefore(ALLOWANCE.leftAloneMs),
      'erased-is-forgotten',
      () => `a receiver is told of phone ${phone?.number}, which was erased with its user`,
    )
    const since = this.#unwilling.get(application) ?? Number.POSITIVE_INFINITY
    this.#verdict.expect(
      since > this.#course.ranBefore(ALLOWANCE.leftAloneMs),
      'who-wants-no-events-gets-none',
      () =>
        `the receiver of application ${application} is told of something, ${this.#course.passedMs - since} ms after its 410`,
    )
  }

  /** A receiver wants no more events. `isHeard`: by the service that sent the event. */
  refusedEvents(application: Whose, isHeard: boolean): void {
    const since = isHeard ? this.#course.passedMs : Number.POSITIVE_INFINITY
    this.#unwilling.set(application, Math.min(this.#unwilling.get(application) ?? Number.POSITIVE_INFINITY, since))
  }

  told(application: Whose, id: string, { type, data }: any): void {
    const phone = type === 'device.gone' ? this.#phones.of(application, data.token) : null
    if (phone !== null) this.#toldGone.add(phone)
    if (type !== 'push.finished') return
    const before = this.#toldEnds.get(data.id) ?? id
    this.#verdict.expect(
      before === id,
      'events-are-told',
      () => `the end of push ${data.id} was told as ${before} and as ${id}`,
    )
    this.#toldEnds.set(data.id, id)
  }

  isUnwilling(application: Whose): boolean {
    return this.#unwilling.has(application)
  }

  /** Whether the end of a push was told, or need not be. */
  isToldEnd({ id, application, end }: Push): boolean {
    return id === null || this.#toldEnds.has(id) || (this.#unwilling.has(application) && end !== null)
  }

  /** The same for a phone that is gone. */
  isToldGone(phone: Phone): boolean {
    return this.#toldGone.has(phone) || this.#unwilling.has(phone.application)
  }
}
