import type { TransportAnswer, TransportRequest } from '../../../../src/gateway/transport/transport.ts'
import type { Invariant } from '../../judge/invariants.ts'
import type { Decision, Errand } from '../gateways.ts'
import type { ByteStream } from './byte-stream.ts'

/** Names the call that is answered. */
const ANSWERS_CALL = 'x-answers-call'

/** Headers of gateways' decisions. */
const SAID = ['retry-after', 'content-type', 'location', 'x-wns-notificationstatus'] as const

/** A peer's statement, heard when this much of the stream has arrived. */
interface Said {
  readonly stream: ByteStream
  readonly offset: number
}

/**
 * Compares a request's way from the sender and back with its peers: it must arrive as sent, be acted on once, and end
 * as a peer ended it.
 */
export class Call {
  readonly request: TransportRequest
  readonly #errand: Errand
  readonly #fail: (invariant: Invariant, what: string) => void
  readonly #name: string
  /** The acting peer's decision; `null`: none acted. */
  #acted: Decision | null = null
  #answered: Said | null = null
  #refused: Said | null = null
  #ending: string | null = null

  constructor(
    number: number,
    request: TransportRequest,
    errand: Errand,
    fail: (invariant: Invariant, what: string) => void,
  ) {
    this.#name = String(number)
    this.request = { ...request, path: `${request.path}?call=${number}` }
    this.#errand = errand
    this.#fail = fail
  }

  get name(): string {
    return this.#name
  }

  /** Decides without acting. */
  decide(): Decision {
    return this.#errand.decide()
  }

  act(decision: Decision): void {
    if (this.#acted !== null) this.#lie('was sent again after a gateway had acted on it')
    if (this.#ending?.endsWith(' no') === true) this.#lie(`came to a gateway after it had ended: ${this.#ending}`)
    this.#acted = decision
    this.#refused = null
  }

  /** Adds the call's name. */
  named(answer: TransportAnswer): TransportAnswer {
    if (answer.kind === 'failed') return answer
    return { ...answer, header: (name) => (name === ANSWERS_CALL ? this.#name : answer.header(name)) }
  }

  /** `null`: the headers are those that were sent. */
  wrongIn(headers: ReadonlyMap<string, string>): string | null {
    const { own, headers: shared } = this.request
    const sent = Object.entries({ ...shared, ...(own && { [own[0]]: own[1] }) })
    const wrong = sent.find(([name, value]) => headers.get(name) !== value)?.[0]
    return wrong === undefined ? null : `call ${this.#name} came with ${wrong}: ${headers.get(wrong)}`
  }

  /** With the call's name. */
  headersOf(answer: TransportAnswer & { readonly kind: 'answer' }): Readonly<Record<string, string>> {
    const said = SAID.flatMap((name) => {
      const value = answer.header(name)
      return value === null ? [] : [[name, value] as const]
    })
    return { [ANSWERS_CALL]: this.#name, ...Object.fromEntries(said) }
  }

  answer(stream: ByteStream): void {
    this.#answered = { stream, offset: stream.sent }
  }

  /** A peer said that it never acts on it. */
  refuse(stream: ByteStream, offset = stream.sent): void {
    this.#refused = { stream, offset }
  }

  /** The sender hears the outcome. */
  end(answer: TransportAnswer): void {
    this.#ending = answer.kind === 'answer' ? `answer ${answer.status}` : `${answer.reason} ${answer.sent}`
    const isHeard = answer.kind === 'answer'
    if (isHeard) this.#checkAnswer(answer)
    else if (answer.sent === 'no' && this.#acted !== null) this.#lie('was acted on')
    else if (answer.sent === 'refused') this.#lie('is one that HTTP/2 can carry')
    else if (answer.sent === 'unknown' && this.#isRefusedNow) this.#lie('was refused, and the client knew')
    else if (this.#isAnswered) this.#lie('was answered, and the client knew')
    this.#errand.heard(isHeard ? this.#acted : null)
  }

  /** Later it may have been sent again and lost. */
  get #isRefusedNow(): boolean {
    return this.#refused !== null && this.#refused.stream.isArriving(this.#refused.offset)
  }

  get #isAnswered(): boolean {
    return this.#answered !== null && this.#answered.stream.delivered >= this.#answered.offset
  }

  #checkAnswer(heard: TransportAnswer & { readonly kind: 'answer' }): void {
    const said = this.#acted?.answer
    if (said?.kind !== 'answer') return this.#lie('was not answered')
    const isOwn = heard.header(ANSWERS_CALL) === this.#name
    if (!isOwn || heard.status !== said.status || heard.body !== said.body)
      this.#lie(`was answered ${said.status} ${said.body}, and not ${heard.body} to ${heard.header(ANSWERS_CALL)}`)
  }

  #lie(truth: string): void {
    this.#fail('client-tells-the-truth', `call ${this.#name}, ${this.#ending ?? 'still open'}, ${truth}`)
  }
}
