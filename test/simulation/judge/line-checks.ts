import { ALLOWANCE } from './allowance.ts'
import type { Course } from './course.ts'
import type { Phone, Phones } from './phones.ts'
import type { Push, Send } from './pushes.ts'
import type { Verdict } from './verdict.ts'
import type { Reply } from '../world/answers.ts'
import type { Gateway } from '../world/answer-tables.ts'
import type { Arrival, Whose } from '../world/gateways.ts'

/**
 * Judges what goes with one credential to one environment of Apple, to Google, or to one push service, which is a lane: not
 * in a rest, not too much at once.
 */
export class LineChecks {
  readonly #course: Course
  readonly #verdict: Verdict
  readonly #phones: Phones
  readonly #open = new Set<Send>()
  /** Phones for which no answer came in time. */
  readonly #silent = new Set<Phone>()
  /** Sent to APNs' other environment, since the first one did not take the token, or the key. */
  readonly #second = new WeakSet<Send>()
  /**
   * Sent to the other environment at once, and it may be for either reason: the first refused the key, or the client turns
   * to the other one first since it did, and the phone was put back by a pause and sent to anew.
   */
  readonly #either = new WeakSet<Send>()
  /** The environment that took a phone last: whoever is put back is asked for there at first. */
  readonly #takenIn = new WeakMap<Phone, Arrival['environment']>()
  /** By credential and run of the service: the other environment may be the first by now. */
  readonly #turned = new Set<string>()
  /** Until when nothing is to be sent there, by gateway and credential: see `partOf`. */
  readonly #rests = new Map<string, { readonly askedOf: Send; readonly until: number }>()
  /** By lane: the run of the service in which a gateway took something last. */
  readonly #provenIn = new Map<string, number>()
  /** The credentials that commands have put in the place of others, by application and gateway, and when. */
  readonly #replaced = new Map<string, { readonly credential: number; readonly at: number }>()

  /** How many answers were heard at the last moment at which one was. */
  #heard = { at: Number.NEGATIVE_INFINITY, answers: 0 }

  constructor(course: Course, verdict: Verdict, phones: Phones) {
    this.#course = course
    this.#verdict = verdict
    this.#phones = phones
  }

  /** `sends`: of this push to this phone before. */
  check(push: Push, phone: Phone, sends: readonly Send[], send: Send): void {
    const before = sends.at(-1)
    const isOther = before?.life === send.life && before.arrival.environment !== send.arrival.environment
    // Also a key for one environment only is tried in the other one, at once.
    const isAtOnce = before?.answeredAt === send.at
    // Who was refused by both is asked for in the first once more.
    const isRefused = before?.reply.says === 'bad-token' && !this.#second.has(before)
    const isSecond = isOther && (isRefused || isAtOnce)
    const line = `${lineOf(send.arrival)} ${send.life}`
    const isOfKey = isSecond && before.reply.says !== 'bad-token'
    if (isOfKey) this.#turned.add(line)
    const isKnownThere = this.#takenIn.get(phone) === send.arrival.environment
    if (isSecond && (isKnownThere || this.#turned.has(line))) this.#either.add(send)
    // There with a new provider token, too.
    if (isSecond || (isAtOnce && this.#second.has(before))) this.#second.add(send)
    this.#checkRest(push, phone, sends, send)
    this.#checkAlone(push, phone, send)
    this.#checkCredential(push, send)
    this.#open.add(send)
  }

  /** The service hears an answer. */
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

  /** The service has died: nothing is on its way. */
  crashed(): void {
    this.#open.clear()
  }

  /** A command has put another credential in the place of the one that an application had for a gateway. */
  replaced(application: Whose, gateway: Gateway, credential: number, at = this.#course.passedMs): void {
    this.#replaced.set(`${application} ${gateway}`, { credential, at })
  }

  /** Which credential an application has for a gateway, and since when. */
  credentialOf(application: Whose, gateway: Gateway): { readonly credential: number; readonly at: number } {
    return this.#replaced.get(`${application} ${gateway}`) ?? { credential: 0, at: Number.NEGATIVE_INFINITY }
  }

  #checkRest(push: Push, phone: Phone, sends: readonly Send[], { arrival, at, life }: Send): void {
    const rest = this.#rests.get(partOf(arrival))
    // What was asked of a credential that has been replaced says nothing of the new one, be it the one of before: whoever
    // puts that back wants it to be tried.
    const { at: since } = this.credentialOf(arrival.application, arrival.gateway)
    const isSaidNow = (one: Send) => one.life === life && one.at >= since
    // Of two answers that came in the same bytes the first may have made room before the second was read.
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
    // Who is silent holds up nobody.
    for (const one of this.#open) {
      // Also by a clock that was put ahead meanwhile.
      if (one.begunAt <= at - ALLOWANCE.silentMs || this.#course.disturbedAt >= one.at - ALLOWANCE.noticedMs)
        this.#silent.add(phoneOf(one.arrival) ?? phone)
    }
    const counts = (one: Send) =>
      this.#laneOf(one) === line && !this.#either.has(one) && !this.#silent.has(phoneOf(one.arrival) ?? phone)
    // A credential that was replaced, be it by itself, begins anew when that is noticed.
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

  /** Who is asked for in the other environment too stays in the lane of the first. */
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

/** A refusal of a token, or of a notification, shows as well that the credential is taken. */
function isOfCredential({ says }: Reply): boolean {
  return !['blocked', 'suspect', 'lost', 'retry'].includes(says)
}

/** A push service is known to be well by less: any other answer may come from something in front of it. */
function isOfService({ says }: Reply): boolean {
  return says === 'accepted' || says === 'gone' || says === 'mismatch'
}

/** What goes to one environment of Apple, or to one push service. */
function partOf(arrival: Arrival): string {
  return `${lineOf(arrival)} ${arrival.service ?? arrival.environment}`
}

/** All that goes to one gateway with one credential. */
export function lineOf({
  application,
  gateway,
  credential,
}: Pick<Arrival, 'application' | 'gateway' | 'credential'>): string {
  return `${application} ${gateway} ${credential}`
}
