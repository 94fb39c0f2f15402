import { ALLOWANCE } from './allowance.ts'
import { Violation } from './invariants.ts'
import type { Invariant } from './invariants.ts'
import { Phones } from './phones.ts'
import type { Phone } from './phones.ts'
import { isLast, lastWord } from './pushes.ts'
import type { Push, Send } from './pushes.ts'
import type { Arrival } from '../world/gateways.ts'
import type { Reply } from '../world/answers.ts'

interface Dependencies {
  /** `WorldClock.passedMs`. */
  readonly passedMs: () => number
  readonly life: () => number
}

/** Holds what happens in a world against what must hold; what does not is in `violation`. */
export class Judge {
  readonly phones = new Phones()
  readonly pushes: Push[] = []
  readonly #deps: Dependencies
  /** When each run of the service died; of one that was stopped nothing. */
  readonly #crashes = new Map<number, number>()
  /** When Google's token endpoint has answered last. */
  grantedAt = Number.NEGATIVE_INFINITY
  violation: Violation | null = null

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** The service has died. */
  crashed(life: number): void {
    this.#crashes.set(life, this.#deps.passedMs())
  }

  fail(invariant: Invariant, what: string): void {
    this.violation ??= new Violation(invariant, what)
  }

  expect(holds: boolean, invariant: Invariant, what: () => string): void {
    if (!holds) this.fail(invariant, what())
  }

  /** A request has come to a gateway. The returned function: its answer is heard. */
  arrived(arrival: Arrival, reply: Reply): () => void {
    const push = this.pushes[arrival.push]
    const phone = this.phones.of(arrival.token)
    if (push === undefined || phone === null) {
      this.fail('only-the-audience', `push ${arrival.push} was sent to ${arrival.token}, which nobody knows`)
      return () => {}
    }
    const sends = push.sends.get(arrival.token) ?? []
    push.sends.set(arrival.token, sends)
    const send: Send = { arrival, reply, at: this.#deps.passedMs(), life: this.#deps.life(), answeredAt: null }
    this.#checkIdentity(push, phone, sends, send)
    this.#checkRepeat(push, phone, sends)
    this.#checkCancelled(push, phone, sends, send)
    this.#checkAudience(push, phone)
    sends.push(send)
    return () => {
      send.answeredAt = this.#deps.passedMs()
      this.#hear(phone, send)
    }
  }

  #hear(phone: Phone, { reply }: Send): void {
    if (!['gone', 'bad-token', 'mismatch'].includes(reply.says)) return
    phone.state = 'unsure'
    phone.changedAt = this.#deps.passedMs()
    if (reply.says === 'gone') phone.goneAt ??= this.#deps.passedMs()
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
    const crashedAt = this.#crashes.get(last.life) ?? Number.NEGATIVE_INFINITY
    const wasLost = last.answeredAt > crashedAt - ALLOWANCE.settledMs && last.life < this.#deps.life()
    this.expect(
      wasLost,
      'no-needless-repeat',
      () => `push ${push.number} went to phone ${phone.number} again, ${last.reply.says} before`,
    )
  }

  #checkCancelled(push: Push, phone: Phone, sends: readonly Send[], { life }: Send): void {
    const now = this.#deps.passedMs()
    // In the other environment, or with a new token of Google's, which it was waiting for.
    const isUnderWay =
      sends.some((before) => before.answeredAt === now && before.life === life) || this.grantedAt === now
    this.expect(
      push.cancel !== 'done' || isUnderWay,
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
      phone.state !== 'absent' || phone.changedAt >= push.askedAt || phone.calls > 0,
      'gone-is-not-addressed',
      () => `push ${push.number} went to phone ${phone.number}, which had left before it was asked for`,
    )
  }

  /** A look at a push was answered. */
  saw(push: Push, status: number, body: any): void {
    this.expect(status === 200, 'answered-is-kept', () => `push ${push.number} is not there: ${status}`)
    if (status !== 200) return
    const { t, s, failed, waiting, state } = body
    this.expect(
      t === s + failed.total + waiting,
      'counts-add-up',
      () => `push ${push.number}, ${state}: ${t} = ${s} + ${failed.total} + ${waiting}`,
    )
    if (state === 'finished' || state === 'cancelled') {
      if (waiting === 0) push.end = { t, s, failed: failed.total }
    }
  }

  /** A receiver has taken an event. */
  told(id: string, { type, data }: any): void {
    if (type !== 'push.finished') return
    const push = this.pushes.find((one) => one.id === data.id)
    if (push === undefined) return
    this.expect(
      push.event === null || push.event === id,
      'events-are-told',
      () => `the end of push ${push.number} was told as ${push.event} and as ${id}`,
    )
    push.event = id
  }

  /** Everything has had its time. */
  ended(): void {
    for (const push of this.pushes) {
      if (push.id === null) continue
      const { number, end, cancel, mayExpire } = push
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
    const taken = words.filter((send) => send?.reply.says === 'accepted').length
    this.expect(
      end.s === taken || (push.cancel !== 'no' && end.s <= taken),
      'counts-are-true',
      () => `push ${push.number}: s is ${end.s}, and ${taken} were taken`,
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
