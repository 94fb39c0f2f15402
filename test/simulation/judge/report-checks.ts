import type { Course } from './course.ts'
import type { Phone } from './phones.ts'
import type { Push } from './pushes.ts'
import type { Verdict } from './verdict.ts'

/** A tap, an arrival, or a button. */
export interface Report {
  readonly event: 'opened' | 'received' | 'action'
  /** `''`: no button. */
  readonly action: string
}

/** Reports of one kind about a push. */
interface Reported {
  /** Phones that certainly count. */
  readonly certain: Set<Phone>
  /** Those that receivers must hear of. Arrivals are not told. */
  readonly toTell: Set<Phone>
  /** Everything that may count: a phone once while it is the same device, and each call of an unknown device. */
  readonly possible: Map<string, Phone>
  /** By phone: ids of the events that told of it. */
  readonly told: Map<Phone, Set<string>>
}

/** Judges reports of apps: each device counts once, however often it reports. */
export class ReportChecks {
  readonly #course: Course
  readonly #verdict: Verdict
  readonly #of = new Map<Push, Map<string, Reported>>()
  #calls = 0

  constructor(course: Course, verdict: Verdict) {
    this.#course = course
    this.#verdict = verdict
  }

  /** The returned function: the report was taken. */
  reports(push: Push, phone: Phone, report: Report): () => void {
    const { certain, toTell, possible, told } = this.#reported(push, keyOf(report))
    const at = this.#course.passedMs
    const { anewAt, token } = phone
    const isSure = isKnown(phone)
    // It may count for another device, or not at all.
    const mayCount = () => void possible.set(`call ${this.#calls++}`, phone)
    if (isSure) possible.set(`${phone.number}/${anewAt}`, phone)
    else mayCount()
    return () => {
      const hasStayed = isKnown(phone) && phone.anewAt === anewAt && phone.lostAt < at && phone.token === token
      if (isSure && !hasStayed) mayCount()
      if (!isSure || !hasStayed || certain.has(phone)) return
      certain.add(phone)
      // An event may come before the answer to the call.
      if (report.event !== 'received' && !told.has(phone)) toTell.add(phone)
    }
  }

  /** Nobody hears of them any more. */
  erased(phones: readonly Phone[]): void {
    for (const { toTell } of this.#all()) for (const phone of phones) toTell.delete(phone)
  }

  /** An event told of a report. */
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

  /** Whether receivers know all they must. `isExcused`: they want no events. */
  isTold(isExcused: (phone: Phone) => boolean): boolean {
    return this.#all().every(({ toTell }) => [...toTell].every(isExcused))
  }

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

/** Whether a device is certainly registered under the phone's token. */
function isKnown({ state, calls, tokenBefore }: Phone): boolean {
  return state === 'present' && calls === 0 && tokenBefore === null
}

function keyOf({ event, action }: Report): string {
  return action === '' ? event : `${event} ${action}`
}
