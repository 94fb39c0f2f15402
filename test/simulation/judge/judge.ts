import { ALLOWANCE } from './allowance.ts'
import { Violation } from './invariants.ts'
import type { Invariant } from './invariants.ts'
import { Phones } from './phones.ts'
import type { Phone } from './phones.ts'
import { isLast, lastWord } from './pushes.ts'
import { SpentCalls } from './spent-calls.ts'
import { QUOTA } from '../world/template.ts'
import type { Push, Send } from './pushes.ts'
import type { Arrival, Whose } from '../world/gateways.ts'
import type { Reply } from '../world/answers.ts'

interface Dependencies {
  /** Ms since the Unix epoch, as the machine has it. */
  readonly now: () => number
  /** `WorldClock.passedMs`. */
  readonly passedMs: () => number
  readonly life: () => number
  /** `WorldClock.ranBefore`. */
  readonly ranBefore: (ms: number) => number
}

/** Holds what happens in a world against what must hold; what does not is in `violation`. */
export class Judge {
  readonly phones = new Phones()
  readonly pushes: Push[] = []
  readonly #spent = new SpentCalls(QUOTA)
  readonly #deps: Dependencies
  readonly #open = new Set<Send>()
  /** Phones for which no answer came in time. */
  readonly #silent = new Set<Phone>()
  /** By line: until when nothing is to be sent with a credential. */
  readonly #rests = new Map<string, { readonly life: number; readonly until: number }>()
  /** By line: the run of the service in which a gateway took something last. */
  readonly #provenIn = new Map<string, number>()
  /** Phones of which a receiver was told that they are gone. */
  readonly #toldGone = new Set<Phone>()
  /** The credentials that commands have put in the place of others, by application and gateway, and when. */
  readonly #replaced = new Map<string, { readonly credential: number; readonly at: number }>()
  /** The applications whose receiver has answered that it wants no more events; and since when that is known. */
  readonly #unwilling = new Map<Whose, number>()
  /** By the id of a push, the event that has told of its end. */
  readonly #toldEnds = new Map<string, string>()
  /** When somebody has last set the clock, or stopped the process. */
  disturbedAt = Number.NEGATIVE_INFINITY
  /** Of each run of the service that died: what it heard after this moment may not be written down. */
  readonly #unwrittenFrom = new Map<number, number>()
  /** When somebody has put the clock back last. */
  setBackAt = Number.NEGATIVE_INFINITY
  /** When Google's token endpoint has answered last. */
  grantedAt = Number.NEGATIVE_INFINITY
  violation: Violation | null = null

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** The service has died, or can go on no longer. */
  crashed(life: number): void {
    const from = this.#unwrittenFrom.get(life) ?? this.#deps.ranBefore(ALLOWANCE.settledMs)
    this.#unwrittenFrom.set(life, from)
    this.#open.clear()
    this.#spent.forget(from)
    // What was heard may not be written down.
    for (const phone of this.phones.all()) {
      if (phone.goneAt !== null && phone.goneAt > from) phone.goneAt = null
      if (phone.badgeAt > from) phone.badge = null
    }
    for (const [whose, at] of this.#unwilling) if (at > from) this.#unwilling.set(whose, Number.POSITIVE_INFINITY)
  }

  /** A command has put another credential in the place of the one that an application had for a gateway. */
  replaced(application: Whose, gateway: 'apns' | 'fcm', credential: number): void {
    this.#replaced.set(`${application} ${gateway}`, { credential, at: this.#deps.passedMs() })
  }

  /** Which credential an application has for a gateway, and since when. */
  credentialOf(application: Whose, gateway: 'apns' | 'fcm'): { readonly credential: number; readonly at: number } {
    return this.#replaced.get(`${application} ${gateway}`) ?? { credential: 0, at: Number.NEGATIVE_INFINITY }
  }

  fail(invariant: Invariant, what: string): void {
    this.violation ??= new Violation(invariant, what)
  }

  expect(holds: boolean, invariant: Invariant, what: () => string): void {
    if (!holds) this.fail(invariant, what())
  }

  /** Whose calls are counted makes one. The returned function: whether it was granted. */
  spends(): (isGranted: boolean) => void {
    const day = this.#spent.ask(this.#deps.now())
    return (isGranted) => {
      const wrong = this.#spent.answered(day, isGranted, this.#deps.passedMs())
      this.expect(wrong === null, 'quota-is-kept', () => `a call of ${day}, of which there may be ${QUOTA}: ${wrong}`)
    }
  }

  /** A request has come to a gateway. The returned function: its answer is heard. */
  arrived(arrival: Arrival, reply: Reply): () => void {
    const push = this.pushes[arrival.push]
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
    // Of a call whose answer was lost, this tells that it was heard.
    push.id ??= arrival.id
    const sends = push.sends.get(arrival.token) ?? []
    push.sends.set(arrival.token, sends)
    const [at, life] = [this.#deps.passedMs(), this.#deps.life()]
    // In the other environment, or with a new token, at once.
    const begunAt = sends.findLast((one) => one.answeredAt === at && one.life === life)?.begunAt ?? at
    const send: Send = { arrival, reply, at, begunAt, life, grantedAt: this.grantedAt, answeredAt: null }
    this.#checkIdentity(push, phone, sends, send)
    this.#checkRepeat(push, phone, sends)
    this.#checkCancelled(push, phone)
    this.#checkAudience(push, phone)
    this.#checkTime(push, phone)
    this.#checkRest(push, phone, sends, send)
    this.#checkAlone(push, phone, send)
    this.#checkCredential(push, send)
    sends.push(send)
    this.#checkBadge(phone, send)
    this.#open.add(send)
    return () => {
      this.#open.delete(send)
      send.answeredAt = this.#deps.passedMs()
      if (send.answeredAt - begunAt >= ALLOWANCE.silentMs) this.#silent.add(phone)
      if (reply.says === 'blocked' && reply.restMs !== null) {
        this.#rests.set(lineOf(arrival), { life: send.life, until: send.answeredAt + reply.restMs })
      }
      this.#hear(phone, send)
    }
  }

  #hear(phone: Phone, { reply, arrival, begunAt: at, grantedAt }: Send): void {
    // A refusal of a token, or of a notification, shows as well that the credential is taken.
    if (!['blocked', 'lost', 'retry'].includes(reply.says)) this.#provenIn.set(lineOf(arrival), this.#deps.life())
    if (reply.says === 'accepted') {
      // What was sent last is what the phone shows.
      if (arrival.badge !== null && at >= phone.badgeAt) {
        // What has waited for an access token was on its way before: of a call that came meanwhile nobody can say.
        const isUnsure = at === grantedAt || (at === phone.badgeAt && phone.badge !== arrival.badge)
        phone.badge = isUnsure ? null : arrival.badge
        phone.badgeAt = at
      }
    }
    // It has registered since, and Apple says since when it was gone.
    const hasReturned = reply.since !== null && reply.since < phone.registeredAt
    // By a clock that has been put back, who knows when.
    if (hasReturned && phone.registeredAt <= this.#deps.now()) return
    // Who says no time says nothing of a registration that came after the question.
    if (reply.since === null && phone.seenAt > at) return
    // The other environment takes it, unless something is wrong there.
    const isOfOther =
      reply.says === 'bad-token' && phone.fate.state === 'sandbox' && arrival.environment === 'production'
    const isBad = phone.fate.state === 'sandbox' && arrival.environment === 'sandbox' && reply.says !== 'accepted'
    if (isOfOther || !(isBad || ['gone', 'bad-token', 'mismatch'].includes(reply.says))) return
    if (reply.says === 'gone' && phone.state === 'present') phone.goneAt ??= this.#deps.passedMs()
    phone.state = 'unsure'
    phone.lostAt = phone.changedAt = this.#deps.passedMs()
  }

  #checkIdentity(push: Push, phone: Phone, sends: readonly Send[], { arrival }: Send): void {
    const other = sends.find(({ arrival: before }) => before.identity !== arrival.identity)
    this.expect(
      other === undefined,
      'one-identity',
      () =>
        `push ${push.number} went to phone ${phone.number} as ${other?.arrival.identity} and as ${arrival.identity}`,
    )
  }

  #checkRepeat(push: Push, phone: Phone, sends: readonly Send[]): void {
    const last = lastWord(sends)
    if (last === null || last.answeredAt === null) return
    if (this.#mayBeInTwoWaves(push, phone)) return
    this.expect(
      !this.#isWritten(last),
      'no-needless-repeat',
      () => `push ${push.number} went to phone ${phone.number} again, ${last.reply.says} before`,
    )
  }

  /**
   * Whether it moved before the first wave or after, nobody can say by a clock that was put back between; and who comes
   * anew, in another zone, is another device.
   */
  #mayBeInTwoWaves({ step, askedAt }: Push, { changedAt, anewAt }: Phone): boolean {
    if (step.when.kind !== 'local' || changedAt < askedAt) return false
    return this.setBackAt >= askedAt || anewAt >= askedAt
  }

  /** Whether an answer that was heard is certain to be written down. */
  #isWritten({ answeredAt, life }: Send): boolean {
    return answeredAt !== null && answeredAt <= (this.#unwrittenFrom.get(life) ?? Number.POSITIVE_INFINITY)
  }

  /** A count is no more than what was set at the most, and one for each push that adds one, however often it was sent. */
  #checkBadge(phone: Phone, { arrival, life }: Send): void {
    const others = this.pushes.filter(({ step, sends }) => step.badge !== '' && sends.has(phone.token))
    // After a crash a push may count again.
    const isOfThisLife = others.every(({ sends }) => sends.get(phone.token)?.every((one) => one.life === life))
    if (!isOfThisLife || arrival.badge === null) return
    const adding = others.filter(({ step }) => step.badge === '+1')
    const twice = adding.filter((push) => this.#mayBeInTwoWaves(push, phone))
    const most = Math.max(phone.badgeSet, others.length > adding.length ? 5 : 0) + adding.length + twice.length
    this.expect(
      arrival.badge <= most,
      'badge-is-shown',
      () =>
        `push ${arrival.push} showed phone ${phone.number} ${arrival.badge}, where there can be ${most} at the most`,
    )
  }

  #checkCancelled(push: Push, phone: Phone): void {
    this.expect(
      push.cancel !== 'done',
      'cancelled-is-quiet',
      () => `push ${push.number} went to phone ${phone.number} after it was cancelled`,
    )
  }

  #checkAudience(push: Push, phone: Phone): void {
    const { step } = push
    if (step.to.kind === 'one') {
      const { phone: wanted } = step.to
      this.expect(
        wanted === phone.number,
        'only-the-audience',
        () => `push ${push.number} to phone ${wanted} went to phone ${phone.number}`,
      )
    }
    this.expect(
      !push.barred.has(phone) || phone.changedAt >= push.askedAt || phone.calls > 0,
      'only-the-audience',
      () => `push ${push.number} went to phone ${phone.number}, who is not in its audience`,
    )
    this.expect(
      phone.state !== 'absent' || phone.changedAt >= push.askedAt || phone.calls > 0,
      'gone-is-not-addressed',
      () => `push ${push.number} went to phone ${phone.number}, which had left before it was asked for`,
    )
  }

  /** A look at a push was answered. */
  saw(push: Push, status: number, body: any): void {
    this.expect(status === 200, 'answered-is-kept', () => `push ${push.number} is not there: ${status}`)
    if (status !== 200) return
    const { t, s, o, failed, waiting, state } = body
    const { asked, by } = push.opens
    const stayed = [...by].filter(([phone, at]) => phone.state === 'present' && phone.changedAt < at).length
    this.expect(
      stayed <= o && o <= asked,
      'opens-are-counted',
      () => `push ${push.number} was opened by ${stayed} for certain, in ${asked} calls, and counts ${o}`,
    )
    this.expect(
      t === s + failed.total + waiting,
      'counts-add-up',
      () => `push ${push.number}, ${state}: ${t} = ${s} + ${failed.total} + ${waiting}`,
    )
    if (state === 'finished' || state === 'cancelled') {
      if (waiting === 0) push.end = { t, s, failed: failed.total }
    }
  }

  /** A receiver is told of an event. */
  telling(application: Whose): void {
    const since = this.#unwilling.get(application) ?? Number.POSITIVE_INFINITY
    this.expect(
      since > this.#deps.ranBefore(ALLOWANCE.leftAloneMs),
      'who-wants-no-events-gets-none',
      () =>
        `the receiver of application ${application} is told of something, ${this.#deps.passedMs() - since} ms after its 410`,
    )
  }

  /** A receiver has answered that it wants no more events. `isHeard`: by the service that told it. */
  refusedEvents(application: Whose, isHeard: boolean): void {
    const since = isHeard ? this.#deps.passedMs() : Number.POSITIVE_INFINITY
    this.#unwilling.set(application, Math.min(this.#unwilling.get(application) ?? Number.POSITIVE_INFINITY, since))
  }

  /** A receiver has taken an event. */
  told(application: Whose, id: string, { type, data }: any): void {
    const phone = type === 'device.gone' ? this.phones.of(application, data.token) : null
    if (phone !== null) this.#toldGone.add(phone)
    if (type !== 'push.finished') return
    const before = this.#toldEnds.get(data.id) ?? id
    this.expect(before === id, 'events-are-told', () => `the end of push ${data.id} was told as ${before} and as ${id}`)
    this.#toldEnds.set(data.id, id)
  }

  /** Whether nobody has anything more to say: each call is answered, and each end told. */
  get isTold(): boolean {
    const isTold = (phone: Phone) => phone.calls === 0 && (!isKnownGone(phone) || this.#isToldGone(phone))
    return (
      this.pushes.every((push) => push.state !== 'asked' && this.#isToldEnd(push)) && this.phones.all().every(isTold)
    )
  }

  #isToldEnd({ id, application, end }: Push): boolean {
    return id === null || this.#toldEnds.has(id) || (this.#unwilling.has(application) && end !== null)
  }

  #isToldGone(phone: Phone): boolean {
    return this.#toldGone.has(phone) || this.#unwilling.has(phone.application)
  }

  /** Whether nothing more is to be expected. */
  get isOver(): boolean {
    return this.isTold && this.pushes.every(({ id, end }) => id === null || end !== null)
  }

  /** The registry of an application, read from end to end. What nobody was sure of is now known. */
  listed(application: Whose, records: readonly any[]): void {
    const byToken = new Map(records.map((record) => [record.token, record]))
    for (const phone of this.phones.all()) {
      if (phone.application !== application) continue
      const record = byToken.get(phone.token) ?? null
      this.#checkRegistered(phone, record)
      const state = record === null ? 'absent' : 'present'
      if (phone.state === 'unsure') Object.assign(phone, { state, changedAt: this.#deps.passedMs() })
      if (record !== null) Object.assign(phone, { tags: new Set(record.tag), badge: record.badge })
    }
  }

  #checkRegistered(phone: Phone, record: any): void {
    const { number, state, tags, badge } = phone
    const isThere = record !== null
    this.expect(
      state === 'unsure' || (state === 'present') === isThere,
      'answered-is-kept',
      () => `phone ${number} is ${state}, and ${isThere ? '' : 'not '}in the registry`,
    )
    const isGone = isKnownGone(phone)
    this.expect(!isGone || !isThere, 'gone-is-not-addressed', () => `phone ${number} is gone, and in the registry`)
    this.expect(
      !isGone || this.#isToldGone(phone),
      'events-are-told',
      () => `of phone ${number}, which is gone, nobody was told`,
    )
    if (!isThere) return
    const listed = record.tag.toSorted().join()
    const wanted = tags === null ? listed : [...tags].toSorted().join()
    this.expect(listed === wanted, 'answered-is-kept', () => `phone ${number} has tags ${listed}, not ${wanted}`)
    this.expect(
      badge === null || record.badge === badge,
      'badge-is-shown',
      () => `phone ${number} has badge ${record.badge}, and shows ${badge}`,
    )
  }

  /** Everything has had its time. */
  ended(): void {
    for (const push of this.pushes) {
      if (push.id === null) continue
      const { number, end, cancel, mayExpire } = push
      this.expect(
        end === null || this.#isToldEnd(push),
        'events-are-told',
        () => `nobody was told of the end of push ${number}`,
      )
      this.expect(end !== null, 'it-comes-to-an-end', () => `push ${number} is still open`)
      if (end === null) continue
      if (cancel === 'no' && !mayExpire) {
        const missed = this.unreached(push)
        this.expect(
          missed.length === 0,
          'everybody-is-reached',
          () => `push ${number} did not reach phones ${missed.map((phone) => phone.number).join(', ')}`,
        )
      }
      this.#checkCounts(push, end)
    }
  }

  /** What the gateways have last said of each phone, and were heard to say. */
  #checkCounts(push: Push, end: NonNullable<Push['end']>): void {
    const words = [...push.sends.values()].map((sends) => sends.findLast(({ answeredAt }) => answeredAt !== null))
    const accepted = words.filter((send) => send?.reply.says === 'accepted')
    const taken = accepted.length
    // What was taken before a crash, and not written down, is sent again, unless the phone has left, or the push is over.
    const certain = accepted.filter((send) => send !== undefined && this.#isWritten(send)).length
    const isOver = push.cancel !== 'no' || push.mayExpire
    this.expect(
      end.s <= taken && (end.s >= certain || isOver),
      'counts-are-true',
      () => `push ${push.number}: s is ${end.s}, and ${taken} were taken`,
    )
  }

  #checkTime(push: Push, phone: Phone): void {
    const { when } = push.step
    if (push.mayExpire || when.kind === 'now') return
    const from =
      when.kind === 'in'
        ? push.askedOn + when.seconds * 1000
        : Temporal.PlainDateTime.from(push.wall ?? '').toZonedDateTime(phone.zone || 'UTC').epochMilliseconds
    // Who has moved, or may have, is in the wave of another zone.
    if (when.kind === 'local' && (phone.zone === null || phone.changedAt >= push.askedAt || phone.calls > 0)) return
    this.expect(
      this.#deps.now() >= from,
      'not-before-its-time',
      () => `push ${push.number} went to phone ${phone.number} ${from - this.#deps.now()} ms too early`,
    )
  }

  #checkRest(push: Push, phone: Phone, sends: readonly Send[], { arrival, at, life }: Send): void {
    const rest = this.#rests.get(lineOf(arrival))
    const all = rest?.life === life ? rest.until : Number.NEGATIVE_INFINITY
    // What was asked of a credential that has been replaced says nothing of the new one.
    const before = sends.filter((one) => one.life === life && lineOf(one.arrival) === lineOf(arrival))
    const asked = before.findLast((one) => one.reply.restMs !== null && one.answeredAt !== null)
    const own = (asked?.answeredAt ?? Number.NEGATIVE_INFINITY) + (asked?.reply.restMs ?? 0)
    this.expect(
      at >= Math.max(all, own) || this.disturbedAt > Math.max(all, own) - ALLOWANCE.restMs,
      'rest-is-kept',
      () => `push ${push.number} went to phone ${phone.number} ${Math.max(all, own) - at} ms before the rest was over`,
    )
  }

  #checkAlone(push: Push, phone: Phone, { arrival, at, life }: Send): void {
    const line = lineOf(arrival)
    if (this.#provenIn.get(line) === life || this.grantedAt === at) return
    const phoneOf = ({ application, token }: Arrival) => this.phones.of(application, token)
    // Who is silent holds up nobody.
    for (const one of this.#open) {
      // Also by a clock that was put ahead meanwhile.
      if (one.begunAt <= at - ALLOWANCE.silentMs || this.disturbedAt >= one.at - ALLOWANCE.noticedMs)
        this.#silent.add(phoneOf(one.arrival) ?? phone)
    }
    const counts = (one: Arrival) => lineOf(one) === line && !this.#silent.has(phoneOf(one) ?? phone)
    const others = [...this.#open].filter((one) => counts(one.arrival) && one.at !== one.grantedAt)
    this.expect(
      others.length === 0 || this.#silent.has(phone),
      'one-alone',
      () => `push ${push.number} went to ${arrival.gateway} beside ${others.length} others, and none was taken before`,
    )
  }

  #checkCredential(push: Push, { arrival }: Send): void {
    const { credential, at } = this.credentialOf(arrival.application, arrival.gateway)
    this.expect(
      credential === arrival.credential || at > this.#deps.ranBefore(ALLOWANCE.noticedMs),
      'credentials-follow',
      () => `push ${push.number} went with a credential that was replaced ${this.#deps.passedMs() - at} ms before`,
    )
  }

  /** Everybody who was to get a push, and has neither left nor had a last word. */
  unreached(push: Push): Phone[] {
    return [...push.owed].filter((phone) => {
      if (phone.changedAt >= push.askedAt) return false
      const sends = push.sends.get(phone.token) ?? []
      return !sends.some(({ reply, answeredAt }) => answeredAt !== null && isLast(reply))
    })
  }
}

/** All that goes to one gateway with one credential. */
function lineOf({ application, gateway, credential }: Arrival): string {
  return `${application} ${gateway} ${credential}`
}

/** Whether a gateway has said so, with a time after its last registration. */
function isKnownGone({ goneAt, fate, registeredAt }: Phone): boolean {
  return goneAt !== null && fate.state === 'gone' && fate.since >= registeredAt
}
