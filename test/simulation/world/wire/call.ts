import type { TransportAnswer, TransportRequest } from '../../../../src/gateway/transport/transport.ts'
import type { Invariant } from '../../judge/invariants.ts'
import type { Decision, Errand } from '../gateways.ts'
import type { ByteStream } from './byte-stream.ts'

/** The header by which an answer says what it answers. */
const ANSWERS_CALL = 'x-answers-call'

/** Headers that a gateway's decision may have. */
const SAID = ['retry-after', 'content-type', 'location', 'x-wns-notificationstatus'] as const

/** Something that a peer has said: it is heard once so many bytes of the stream have arrived. */
interface Said {
  readonly stream: ByteStream
  readonly offset: number
}

/**
 * One request from the sender's call to what the sender hears, held against what peers did with it: whether it came as it
 * was sent, was acted on once, and ends as a peer ended it.
 */
export class Call {
  readonly request: TransportRequest
  readonly #errand: Errand
  readonly #fail: (invariant: Invariant, what: string) => void
  readonly #name: string
  /** What the peer that acted on it decided; `null`: none did. */
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

  /** What a peer is to do with it. Nothing is done yet. */
  decide(): Decision {
    return this.#errand.decide()
  }

  /** A peer acts on it, as it has decided. */
  act(decision: Decision): void {
    if (this.#acted !== null) this.#lie('was sent again after a gateway had acted on it')
    if (this.#ending?.endsWith(' no') === true) this.#lie(`came to a gateway after it had ended: ${this.#ending}`)
    this.#acted = decision
    this.#refused = null
  }

  /** An answer that says what it answers. */
  named(answer: TransportAnswer): TransportAnswer {
    if (answer.kind === 'failed') return answer
    return { ...answer, header: (name) => (name === ANSWERS_CALL ? this.#name : answer.header(name)) }
  }

  /** How the headers that came differ from those that were sent; `null`: they do not. */
  wrongIn(headers: ReadonlyMap<string, string>): string | null {
    const { own, headers: shared } = this.request
    const sent = Object.entries({ ...shared, ...(own && { [own[0]]: own[1] }) })
    const wrong = sent.find(([name, value]) => headers.get(name) !== value)?.[0]
    return wrong === undefined ? null : `call ${this.#name} came with ${wrong}: ${headers.get(wrong)}`
  }

  /** Headers of an answer, which say what it answers. */
  headersOf(answer: TransportAnswer & { readonly kind: 'answer' }): Readonly<Record<string, string>> {
    const said = SAID.flatMap((name) => {
      const value = answer.header(name)
      return value === null ? [] : [[name, value] as const]
    })
    return { [ANSWERS_CALL]: this.#name, ...Object.fromEntries(said) }
  }

  /** A peer has written its answer. */
  answer(stream: ByteStream): void {
    this.#answered = { stream, offset: stream.sent }
  }

  /** A peer has said that it has not acted on it, and never will. */
  refuse(stream: ByteStream, offset = stream.sent): void {
    this.#refused = { stream, offset }
  }

  /** The sender hears what became of it. */
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

  /** Later, it may have been sent again, and lost. */
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
