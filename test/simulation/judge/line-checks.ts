import { ALLOWANCE } from './allowance.ts'
import type { Course } from './course.ts'
import type { Phone, Phones } from './phones.ts'
import type { Push, Send } from './pushes.ts'
import type { Verdict } from './verdict.ts'
import type { Reply } from '../world/answers.ts'
import type { Gateway } from '../world/answer-tables.ts'
import type { Arrival, Whose } from '../world/gateways.ts'

/**
 * Judges lanes: requests with one credential to one environment of Apple, to Google, or to one push service. They
 * respect rests and windows.
 */
export class LineChecks {
  readonly #course: Course
  readonly #verdict: Verdict
  readonly #phones: Phones
  readonly #open = new Set<Send>()
  /** Phones without an answer in time. */
  readonly #silent = new Set<Phone>()
  /** Sent to APNs' other environment because the first refused the token or the key. */
  readonly #second = new WeakSet<Send>()
  /**
   * Sent to the other environment immediately, for either of two reasons: the first refused the key, or the client now
   * starts with the other, and a pause put the phone back.
   */
  readonly #either = new WeakSet<Send>()
  /** The environment that last took a phone. A phone that is put back starts there. */
  readonly #takenIn = new WeakMap<Phone, Arrival['environment']>()
  /** By credential and run: the other environment may now come first. */
  readonly #turned = new Set<string>()
  /** End of rests, by gateway and credential: see `partOf`. */
  readonly #rests = new Map<string, { readonly askedOf: Send; readonly until: number }>()
  /** By lane: the last run in which a gateway took something. */
  readonly #provenIn = new Map<string, number>()
  /** Replaced credentials by application and gateway, with their time. */
  readonly #replaced = new Map<string, { readonly credential: number; readonly at: number }>()

  /** Number of answers heard at the time of the last one. */
  #heard = { at: Number.NEGATIVE_INFINITY, answers: 0 }

  constructor(course: Course, verdict: Verdict, phones: Phones) {
    this.#course = course
    this.#verdict = verdict
    this.#phones = phones
  }

  /** `sends`: earlier requests of this push to this phone. */
  check(push: Push, phone: Phone, sends: readonly Send[], send: Send): void {
    const before = sends.at(-1)
    const isOther = before?.life === send.life && before.arrival.environment !== send.arrival.environment
    // A key for one environment is also tried in the other, immediately.
    const isAtOnce = before?.answeredAt === send.at
    // After both have refused it, the first is asked again.
    const isRefused = before?.reply.says === 'bad-token' && !this.#second.has(before)
    const isSecond = isOther && (isRefused || isAtOnce)
    const line = `${lineOf(send.arrival)} ${send.life}`
    const isOfKey = isSecond && before.reply.says !== 'bad-token'
    if (isOfKey) this.#turned.add(line)
    const isKnownThere = this.#takenIn.get(phone) === send.arrival.environment
    if (isSecond && (isKnownThere || this.#turned.has(line))) this.#either.add(send)
    // Also with a new provider token.
    if (isSecond || (isAtOnce && this.#second.has(before))) this.#second.add(send)
    this.#checkRest(push, phone, sends, send)
    this.#checkAlone(push, phone, send)
    this.#checkCredential(push, send)
    this.#open.add(send)
  }

  heard(phone: Phone, send: Send, answeredAt: number): void {
    const { arrival, reply, begunAt } = send
    this.#open.delete(send)
    this.#heard = { at: answeredAt, answers: this.#heard.at === answeredAt ? this.#heard.answers + 1 : 1 }
    if (answeredAt - begunAt >= ALLOWANCE.silentMs) this.#silent.add(phone)
    if (reply.says === 'blocked' && reply.restMs !== null) {
      this.#rests.set(partOf(arrival), { askedOf: send, until: answeredAt + reply.restMs })
    }
    if (reply.says === 'accepted') this.#takenIn.set(phone, arrival.environment)
    const isProof = arrival.service === null ? isOfCredential(reply) : isOfService(reply)
    if (!isProof) return
    const { life } = this.#course
    this.#provenIn.set(this.#laneOf(send), life)
    if (this.#either.has(send)) this.#provenIn.set(partOf(arrival), life)
  }

  crashed(): void {
    this.#open.clear()
  }

  /** A command has replaced an application's credential for a gateway. */
  replaced(application: Whose, gateway: Gateway, credential: number, at = this.#course.passedMs): void {
    this.#replaced.set(`${application} ${gateway}`, { credential, at })
  }

  /** An application's credential for a gateway, and since when. */
  credentialOf(application: Whose, gateway: Gateway): { readonly credential: number; readonly at: number } {
    return this.#replaced.get(`${application} ${gateway}`) ?? { credential: 0, at: Number.NEGATIVE_INFINITY }
  }

  #checkRest(push: Push, phone: Phone, sends: readonly Send[], { arrival, at, life }: Send): void {
    const rest = this.#rests.get(partOf(arrival))
    // A rest does not concern a new credential, even one used before: whoever puts it back wants it tried.
    const { at: since } = this.credentialOf(arrival.application, arrival.gateway)
    const isSaidNow = (one: Send) => one.life === life && one.at >= since
    // Of two answers in the same bytes, the first may have made room before the second was read.
    const isReadLater = (one: Send) => one.answeredAt === at && this.#heard.at === at && this.#heard.answers > 1
    const holds = (one: Send) => isSaidNow(one) && !isReadLater(one)
    const all = rest !== undefined && holds(rest.askedOf) ? rest.until : Number.NEGATIVE_INFINITY
    const before = sends.filter((one) => isSaidNow(one) && partOf(one.arrival) === partOf(arrival))
    const asked = before.findLast((one) => one.reply.restMs !== null && one.answeredAt !== null)
    const own = (asked?.answeredAt ?? Number.NEGATIVE_INFINITY) + (asked?.reply.restMs ?? 0)
    this.#verdict.expect(
      at >= Math.max(all, own) || this.#course.disturbedAt > Math.max(all, own) - ALLOWANCE.restMs,
      'rest-is-kept',
      () => `push ${push.number} went to phone ${phone.number} ${Math.max(all, own) - at} ms before the rest was over`,
    )
  }

  #checkAlone(push: Push, phone: Phone, send: Send): void {
    const { at, life } = send
    const line = this.#laneOf(send)
    if (this.#provenIn.get(line) === life || this.#course.grantedAt === at || this.#either.has(send)) return
    const phoneOf = ({ application, token }: Arrival) => this.#phones.of(application, token)
    // Silent requests hold up nobody.
    for (const one of this.#open) {
      // Also if the clock was put ahead in between.
      if (one.begunAt <= at - ALLOWANCE.silentMs || this.#course.disturbedAt >= one.at - ALLOWANCE.noticedMs)
        this.#silent.add(phoneOf(one.arrival) ?? phone)
    }
    const counts = (one: Send) =>
      this.#laneOf(one) === line && !this.#either.has(one) && !this.#silent.has(phoneOf(one.arrival) ?? phone)
    // A credential that was replaced, even by itself, starts anew when that is noticed.
    const { at: since } = this.credentialOf(send.arrival.application, send.arrival.gateway)
    const isOfNow = (one: Send) => one.at > since + ALLOWANCE.noticedMs
    const others = [...this.#open].filter((one) => counts(one) && one.at !== one.grantedAt && isOfNow(one))
    this.#verdict.expect(
      others.length === 0 || this.#silent.has(phone),
      'one-alone',
      () =>
        `push ${push.number} went to phone ${phone.number} in ${line} beside ${others.length} others, and none was taken before`,
    )
  }

  /** A request to the other environment stays in the lane of the first. */
  #laneOf(send: Send): string {
    const { arrival } = send
    if (!this.#second.has(send)) return partOf(arrival)
    return partOf({ ...arrival, environment: arrival.environment === 'sandbox' ? 'production' : 'sandbox' })
  }

  #checkCredential(push: Push, { arrival }: Send): void {
    const { credential, at } = this.credentialOf(arrival.application, arrival.gateway)
    this.#verdict.expect(
      credential === arrival.credential || at > this.#course.ranBefore(ALLOWANCE.noticedMs),
      'credentials-follow',
      () => `push ${push.number} went with a credential that was replaced ${this.#course.passedMs - at} ms before`,
    )
  }
}

/** A refused token or notification also proves the credential. */
function isOfCredential({ says }: Reply): boolean {
  return !['blocked', 'suspect', 'lost', 'retry'].includes(says)
}

/** Push services prove less: other answers may come from something in front of them. */
function isOfService({ says }: Reply): boolean {
  return says === 'accepted' || says === 'gone' || says === 'mismatch'
}

/** One environment of Apple, or one push service. */
function partOf(arrival: Arrival): string {
  return `${lineOf(arrival)} ${arrival.service ?? arrival.environment}`
}

/** One gateway with one credential. */
export function lineOf({
  application,
  gateway,
  credential,
}: Pick<Arrival, 'application' | 'gateway' | 'credential'>): string {
  return `${application} ${gateway} ${credential}`
}
