import { answerTo } from '../../src/gateway/transport/transport.ts'
import type { Transport, TransportAnswer, TransportRequest } from '../../src/gateway/transport/transport.ts'
import { MAX_ATTEMPTS } from './books.ts'
import type { SenderBook } from './books.ts'

export interface Load {
  /** Requests, numbered from 0. */
  readonly count: number
  /** Most requests in flight. */
  readonly inFlight: number
  request(n: number, attempt: number): TransportRequest
  /** `null`: correct. */
  wrongWith(answer: TransportAnswer & { readonly kind: 'answer' }, n: number, attempt: number): string | null
  /** Resolves when the next request may be sent. Default: as soon as another ends. */
  turn?(): Promise<void>
  onAnswered?(): void
}

/**
 * Sends each request until it is answered, like the service: again after `sent: 'no'` and `sent: 'unknown'`. Resolves
 * when all are answered or out of attempts, with the number of failed attempts by reason.
 */
export async function sendAll(
  transport: Transport,
  load: Load,
  book: SenderBook,
): Promise<ReadonlyMap<string, number>> {
  const reasons = new Map<string, number>()
  let next = 0

  async function lane(): Promise<void> {
    while (next < load.count) {
      await load.turn?.()
      if (next >= load.count) return
      await sendOne(next++)
    }
  }

  async function sendOne(n: number): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const answer = await answerTo(transport, load.request(n, attempt))
      if (answer.kind === 'answer') {
        book.note('answered', n, attempt)
        const wrong = load.wrongWith(answer, n, attempt)
        if (wrong !== null) book.noteWrong(`request ${n}, attempt ${attempt}: ${wrong}`)
        load.onAnswered?.()
        return
      }
      book.note(answer.sent === 'unknown' ? 'unknown' : 'unsent', n, attempt)
      const reason = `${answer.reason} (${answer.sent})`
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
      await Bun.sleep(answer.afterMs ?? Math.min(FIRST_WAIT_MS * 2 ** attempt, MAX_WAIT_MS))
    }
  }

  await Promise.all(Array.from({ length: Math.min(load.inFlight, load.count) }, lane))
  return reasons
}

/** Between attempts, in ms; doubled each time. */
const FIRST_WAIT_MS = 5
const MAX_WAIT_MS = 1000
