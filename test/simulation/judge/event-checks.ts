import { ALLOWANCE } from './allowance.ts'
import type { Course } from './course.ts'
import type { Phone, Phones } from './phones.ts'
import type { Push } from './pushes.ts'
import type { Verdict } from './verdict.ts'
import type { Whose } from '../world/gateways.ts'

/** Judges what receivers are told: each fact, by one id, and nothing to who wants no more. */
export class EventChecks {
  readonly #course: Course
  readonly #verdict: Verdict
  readonly #phones: Phones
  /** Phones of which a receiver was told that they are gone. */
  readonly #toldGone = new Set<Phone>()
  /** The applications whose receiver has answered that it wants no more events; and since when that is known. */
  readonly #unwilling = new Map<Whose, number>()
  /** By the id of a push, the event that has told of its end. */
  readonly #toldEnds = new Map<string, string>()

  constructor(course: Course, verdict: Verdict, phones: Phones) {
    this.#course = course
    this.#verdict = verdict
    this.#phones = phones
  }

  /** The service has died: what it heard after `from` may not be written down. */
  crashed(from: number): void {
    for (const [whose, at] of this.#unwilling) if (at > from) this.#unwilling.set(whose, Number.POSITIVE_INFINITY)
  }

  /** A receiver is told of an event, which is on its way from now on. */
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

  /** A receiver has answered that it wants no more events. `isHeard`: by the service that told it. */
  refusedEvents(application: Whose, isHeard: boolean): void {
    const since = isHeard ? this.#course.passedMs : Number.POSITIVE_INFINITY
    this.#unwilling.set(application, Math.min(this.#unwilling.get(application) ?? Number.POSITIVE_INFINITY, since))
  }

  /** A receiver has taken an event. */
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

  /** Whether the end of a push was told, or nobody wants to hear of it. */
  isToldEnd({ id, application, end }: Push): boolean {
    return id === null || this.#toldEnds.has(id) || (this.#unwilling.has(application) && end !== null)
  }

  /** The same of a phone that is gone. */
  isToldGone(phone: Phone): boolean {
    return this.#toldGone.has(phone) || this.#unwilling.has(phone.application)
  }
}
