import type { Clock } from '../../clock.ts'
import { readAnswerBody } from './answer-body.ts'
import { Deadlines } from './deadlines.ts'
import { cut, FetchAnswer } from './fetch-answer.ts'
import { describeFetchFailure, endsConnection } from './fetch-failure.ts'
import { FetchInit } from './fetch-init.ts'
import type { Abort } from './fetch-init.ts'
import { Openings } from './openings.ts'
import { Lookups, Strays } from './strays.ts'
import { DEADLINE, IDLE_MS, UNWATCHED_CONNECTIONS } from './transport.ts'
import type {
  ConnectionWatch,
  OpenTransport,
  Transport,
  TransportAnswer,
  TransportOptions,
  TransportRequest,
} from './transport.ts'
import { tookCredential, WarmUp } from './warm-up.ts'

interface FetchOptions {
  /** See `idle-pools.ts`. Default 0. */
  readonly secureOptions?: number
  /** Shared with all others that open connections. Default: not shared. */
  readonly lookups?: Lookups
  /** Shared with all others that open connections. Default: not shared. */
  readonly openings?: Openings
  /** Told when connections seem to end unseen after each request, and to be replaced by others. */
  readonly onReplaced?: () => void
  /** Where a request goes that has waited in line; `null`: by fetch. Default `null`. */
  readonly instead?: () => Transport | null
}

/**
 * HTTP/2 by Bun's fetch: framing, compression and TLS run on its own thread. What it hears of connections is what
 * failed. One that ends after its last answer Bun replaces without a word: see `strays.ts`.
 */
export function fetchTransport(clock: Clock, fetchOptions: FetchOptions = {}): OpenTransport {
  return (origin, options) => new FetchTransport(clock, origin, options, fetchOptions)
}

/** A pool of connections of its own, in which Bun opens and closes them. Usually it holds one. */
interface Session {
  readonly pool: Bun.FetchSession
  readonly fetch: Bun.FetchSession['fetch']
  readonly warmUp: WarmUp<Call>
  inFlight: number
  /** When the last of those in flight was over, ms since the Unix epoch. */
  restedAt: number
  answers: number
  /** Requests past their deadline while others were answered. */
  late: number
  /** The loss of the session has been told. */
  dead: boolean
}

interface Call {
  tick: number
  expired: boolean
  wake: (() => void) | null
  /** `null` while the call is queued. */
  session: Session | null
  /** Answers of its session when the call was sent. */
  answersBefore: number
  readonly abort: Abort
}

/**
 * No session → (a request) → a session, warming up → (idle, retired, a connection lost, a request past its deadline and
 * none answered since it was sent, or three and some were) → no session; the old one closes when its last request is over.
 */
class FetchTransport implements Transport {
  readonly #clock: Clock
  readonly #origin: string
  readonly #tls: Bun.TLSOptions
  readonly #watch: ConnectionWatch
  readonly #strays: Strays
  readonly #openings: Openings
  readonly #onReplaced: () => void
  readonly #instead: () => Transport | null
  readonly #deadlines: Deadlines<Call>
  readonly #init = new FetchInit()
  #session: Session | null = null
  #requests = 0
  #cancelIdle: (() => void) | null = null
  #disposed = false
  #drained: (() => void)[] = []

  constructor(clock: Clock, origin: string, options: TransportOptions, fetchOptions: FetchOptions) {
    const { deadlineMs, watch = UNWATCHED_CONNECTIONS, ...tls } = options
    const {
      secureOptions = 0,
      lookups = new Lookups(),
      openings = new Openings(),
      onReplaced = () => undefined,
      instead = () => null,
    } = fetchOptions
    this.#clock = clock
    this.#origin = origin
    this.#tls = { ...tls, secureOptions }
    this.#watch = watch
    this.#strays = new Strays(lookups, origin)
    this.#openings = openings
    this.#onReplaced = onReplaced
    this.#instead = instead
    this.#deadlines = new Deadlines(clock, deadlineMs, (call) => this.#expire(call))
  }

  /** One function with few awaits, since a broadcast spends a fifth of its time in it. */
  async request(request: TransportRequest): Promise<TransportAnswer> {
    if (this.#disposed) return { kind: 'failed', reason: 'closed', sent: 'no' }
    this.#requests++
    const abort = this.#init.takeAbort()
    const call: Call = { tick: 0, expired: false, wake: null, session: null, answersBefore: 0, abort }
    this.#deadlines.add(call)
    let session = this.#open()
    while ('pool' in session) {
      if (this.#strays.isSuspected) session.warmUp.doubt()
      else if (session.inFlight === 0 && this.#isOld(session)) session.warmUp.cool()
      const turn = session.warmUp.enter(call)
      if (turn === undefined) break
      await turn
      if (call.expired) {
        session.warmUp.forgo()
        return this.#over(call, LATE_IN_LINE)
      }
      const instead = this.#instead()
      if (instead !== null) {
        this.#end(call)
        return instead.request(request)
      }
      session = this.#open()
    }
    if (!('pool' in session)) return this.#over(call, session)

    call.session = session
    call.answersBefore = session.answers
    const isWeighed = session.answers > 0 && (session.inFlight === 0 || this.#strays.isSuspected)
    const strays = isWeighed ? this.#strays.count : null
    session.inFlight++
    let answer: TransportAnswer
    try {
      const response = await session.fetch(this.#origin + request.path, this.#init.of(request, abort))
      // Read even where nothing is expected, since an unread answer keeps its stream. A success is short, or empty:
      // reading it in pieces would cost 1 µs more.
      const text = response.status === 200 ? cut(await response.text()) : await readAnswerBody(response)
      answer = new FetchAnswer(response, text)
      session.answers++
      this.#watch.answered()
      if (strays !== null) this.#weigh(session, strays)
      if (!call.expired) this.#init.giveBack(abort)
    } catch (error) {
      answer = call.expired ? LATE : describeFetchFailure(error)
      if (!call.expired && endsConnection(answer)) this.#discard(session, answer.reason)
    }
    session.inFlight--
    if (session.inFlight === 0) session.restedAt = this.#clock.now()
    session.warmUp.leave(call, tookCredential(answer) && !this.#strays.isSuspected)
    if (session.inFlight === 0 && session !== this.#session) session.pool.close()
    return this.#over(call, answer)
  }

  retire(): void {
    // A session is retired for what it answered: one without answers is spared.
    if (this.#session !== null && this.#session.answers > 0) this.#retire(this.#session)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true
    if (this.#deadlines.size > 0) await new Promise<void>((resolve) => this.#drained.push(resolve))
    this.#cancelIdle?.()
    if (this.#session !== null) this.#retire(this.#session)
  }

  #over(call: Call, answer: TransportAnswer): TransportAnswer {
    this.#end(call)
    return answer
  }

  #end(call: Call): void {
    this.#deadlines.delete(call)
    if (this.#deadlines.size === 0) this.#rest()
  }

  /** Or why none may be opened. */
  #open(): Session | (TransportAnswer & { kind: 'failed' }) {
    if (this.#session !== null) return this.#session
    const refusal = this.#watch.refusal()
    if (refusal !== null) return refusal
    this.#watch.opened()
    this.#strays.announce()
    const pool = new Bun.FetchSession({ tls: this.#tls, proxy: false })
    const warmUp = new WarmUp<Call>(this.#clock, this.#openings)
    const counts = { inFlight: 0, restedAt: 0, answers: 0, late: 0 }
    this.#session = { pool, fetch: pool.fetch, warmUp, ...counts, dead: false }
    return this.#session
  }

  /** It may have ended meanwhile: of that fetch says nothing. Either way where the clock was put back. */
  #isOld({ restedAt }: Session): boolean {
    return Math.abs(this.#clock.now() - restedAt) > COOL_MS
  }

  #retire(session: Session): void {
    if (session !== this.#session) return
    this.#session = null
    if (session.inFlight === 0) session.pool.close()
    session.warmUp.end()
  }

  #weigh(session: Session, straysBefore: number): void {
    const wasSuspected = this.#strays.isSuspected
    if (this.#strays.weigh(straysBefore)) {
      this.#onReplaced()
      this.#retire(session)
    } else if (wasSuspected && !this.#strays.isSuspected) session.warmUp.cool()
  }

  /** The next connection has to warm up like any new one. */
  #discard(session: Session, reason: string): void {
    if (session.dead) return
    session.dead = true
    // Before anybody is sent to the next: whether there is to be one depends on what became of this.
    this.#watch.lost(reason, session.answers)
    this.#retire(session)
  }

  #expire(call: Call): void {
    call.expired = true
    if (call.session === null) {
      call.wake?.()
      return
    }
    const { session } = call
    if (session.answers === call.answersBefore) this.#discard(session, DEADLINE)
    // One device may be silent, and one of the connections that Bun has opened as well.
    else if (++session.late >= MAX_LATE) this.#retire(session)
    call.abort.controller.abort()
  }

  /** Nothing is in flight. */
  #rest(): void {
    for (const resolve of this.#drained.splice(0)) resolve()
    if (this.#cancelIdle !== null) return
    const before = this.#requests
    this.#cancelIdle = this.#clock.after(IDLE_MS, () => {
      this.#cancelIdle = null
      if (this.#deadlines.size > 0) return
      if (this.#requests !== before) this.#rest()
      else if (this.#session !== null) this.#retire(this.#session)
    })
  }
}

/** A connection that was not used for so long is tried with one request before others follow. In ms. */
const COOL_MS = 30_000

/** Requests that are not answered on a session on which others are, before it is replaced. */
const MAX_LATE = 3

const LATE = { kind: 'failed', reason: DEADLINE, sent: 'unknown' } as const
const LATE_IN_LINE = { kind: 'failed', reason: DEADLINE, sent: 'no' } as const
