import type { Course } from './course.ts'
import type { Phone } from './phones.ts'
import type { Push } from './pushes.ts'
import type { Verdict } from './verdict.ts'

/** What an app reports: a tap, the arrival, or a button with its name. */
export interface Report {
  readonly event: 'opened' | 'received' | 'action'
  /** `''`: it is no button. */
  readonly action: string
}

/** Reports of one kind about one push. */
interface Reported {
  /** Phones of which one is certain to count. */
  readonly certain: Set<Phone>
  /** Of these, those that receivers must hear of; nobody hears of an arrival. */
  readonly toTell: Set<Phone>
  /** Who may count, each once: phones by the time since which they are the same device, and calls of whom nobody knows. */
  readonly possible: Map<string, Phone>
  /** The ids of the events that have told of a phone. */
  readonly told: Map<Phone, Set<string>>
}

/** Judges how reports of apps are counted: once for each device, whatever it says again. */
export class ReportChecks {
  readonly #course: Course
  readonly #verdict: Verdict
  readonly #of = new Map<Push, Map<string, Reported>>()
  #calls = 0

  constructor(course: Course, verdict: Verdict) {
    this.#course = course
    this.#verdict = verdict
  }

  /** A report is sent. The returned function: it was taken. */
  reports(push: Push, phone: Phone, report: Report): () => void {
    const { certain, toTell, possible, told } = this.#reported(push, keyOf(report))
    const at = this.#course.passedMs
    const { anewAt, token } = phone
    const isSure = isKnown(phone)
    // What nobody is sure of may count as another device's, or nobody's.
    const mayCount = () => void possible.set(`call ${this.#calls++}`, phone)
    if (isSure) possible.set(`${phone.number}/${anewAt}`, phone)
    else mayCount()
    return () => {
      const hasStayed = isKnown(phone) && phone.anewAt === anewAt && phone.lostAt < at && phone.token === token
      if (isSure && !hasStayed) mayCount()
      if (!isSure || !hasStayed || certain.has(phone)) return
      certain.add(phone)
      // It may have been told of before its call is answered.
      if (report.event !== 'received' && !told.has(phone)) toTell.add(phone)
    }
  }

  /** Phones were erased: of what is not told yet nobody hears. */
  erased(phones: readonly Phone[]): void {
    for (const { toTell } of this.#all()) for (const phone of phones) toTell.delete(phone)
  }

  /** A receiver has taken an event that tells of a report. */
  told(push: Push, phone: Phone, report: Report, id: string): void {
    const { told, toTell, possible } = this.#reported(push, keyOf(report))
    const ids = (told.get(phone) ?? new Set()).add(id)
    told.set(phone, ids)
    toTell.delete(phone)
    const most = [...possible.values()].filter((one) => one === phone).length
    this.#verdict.expect(
      ids.size <= most,
      'reports-are-counted',
      () => `that phone ${phone.number} has ${keyOf(report)} push ${push.number} was told as ${[...ids].join(' and ')}`,
    )
  }

  /** Whether receivers have heard of every report that they must hear of. `isExcused`: nobody there wants to. */
  isTold(isExcused: (phone: Phone) => boolean): boolean {
    return this.#all().every(({ toTell }) => [...toTell].every(isExcused))
  }

  /** A look at a push was answered. */
  saw(push: Push, { o, received, actions }: any): void {
    for (const [key, { certain, possible }] of this.#of.get(push) ?? []) {
      const [event, action = ''] = key.split(' ')
      const counted: number = event === 'opened' ? o : event === 'received' ? received : (actions[action] ?? 0)
      this.#verdict.expect(
        certain.size <= counted && counted <= possible.size,
        'reports-are-counted',
        () =>
          `push ${push.number} counts ${counted} for "${key}", of ${certain.size} for certain and ${possible.size} at the most`,
      )
    }
  }

  #all(): readonly Reported[] {
    return [...this.#of.values()].flatMap((ofPush) => ofPush.values().toArray())
  }

  #reported(push: Push, key: string): Reported {
    let ofPush = this.#of.get(push)
    if (ofPush === undefined) this.#of.set(push, (ofPush = new Map()))
    let reported = ofPush.get(key)
    if (reported === undefined) {
      reported = { certain: new Set(), toTell: new Set(), possible: new Map(), told: new Map() }
      ofPush.set(key, reported)
    }
    return reported
  }
}

/** Whether it is certain that a device is registered under the token of a phone. */
function isKnown({ state, calls, tokenBefore }: Phone): boolean {
  return state === 'present' && calls === 0 && tokenBefore === null
}

function keyOf({ event, action }: Report): string {
  return action === '' ? event : `${event} ${action}`
}
