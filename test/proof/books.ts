/** Attempts are numbered from 0, with a bit each. */
export const MAX_ATTEMPTS = 16

export class SenderBook {
  /** A bit per attempt, by request. */
  readonly answered: Uint16Array
  /** Failed with `sent: 'no'`. */
  readonly unsent: Uint16Array
  /** Failed with `sent: 'unknown'`. */
  readonly unknown: Uint16Array
  /** Wrong answers, the first few in words. */
  readonly wrong: string[] = []
  wrongCount = 0

  constructor(count: number) {
    this.answered = new Uint16Array(count)
    this.unsent = new Uint16Array(count)
    this.unknown = new Uint16Array(count)
  }

  note(ending: 'answered' | 'unsent' | 'unknown', request: number, attempt: number): void {
    setBit(this[ending], request, attempt)
  }

  noteWrong(words: string): void {
    this.wrongCount++
    if (this.wrong.length < MAX_EXAMPLES) this.wrong.push(words)
  }
}

export class GatewayBook {
  /** A bit per attempt, by request. */
  readonly processed: Uint16Array
  /** Processed more than once. */
  readonly again: Uint16Array
  /** Requests that nobody sent. */
  strangers = 0

  constructor(count: number) {
    this.processed = new Uint16Array(count)
    this.again = new Uint16Array(count)
  }

  note(request: number, attempt: number): void {
    if (!(request >= 0 && request < this.processed.length && attempt >= 0 && attempt < MAX_ATTEMPTS)) {
      this.strangers++
      return
    }
    if (hasBit(this.processed, request, attempt)) setBit(this.again, request, attempt)
    setBit(this.processed, request, attempt)
  }
}

export interface Verdict {
  /** Requests by fault. */
  readonly faults: {
    /** Never processed. */
    readonly lost: number
    /** Never answered, after all attempts. */
    readonly unanswered: number
    /** The transport repeated an attempt that may have been processed. */
    readonly doubled: number
    readonly 'processed though unsent': number
    readonly 'answered though unprocessed': number
    /** The gateway processed an attempt that was not made. */
    readonly 'never sent': number
    readonly 'wrong answer': number
  }
  readonly attempts: { readonly answered: number; readonly unsent: number; readonly unknown: number }
  /** Attempts that the gateway processed. */
  readonly processed: number
  /** Requests processed in several attempts, legitimately: each but the last failed with `sent: 'unknown'`. */
  readonly repeated: number
  /** The first few faults. */
  readonly examples: readonly string[]
}

/** Compares the sender's and the gateway's books of the same requests. */
export function judge(sender: SenderBook, gateway: GatewayBook): Verdict {
  const faults = {
    lost: 0,
    unanswered: 0,
    doubled: 0,
    'processed though unsent': 0,
    'answered though unprocessed': 0,
    'never sent': gateway.strangers,
    'wrong answer': sender.wrongCount,
  }
  const attempts = { answered: 0, unsent: 0, unknown: 0 }
  const examples: string[] = [...sender.wrong]
  let processedAttempts = 0
  let repeated = 0

  for (let request = 0; request < sender.answered.length; request++) {
    const [answered, unsent, unknown] = [
      at(sender.answered, request),
      at(sender.unsent, request),
      at(sender.unknown, request),
    ]
    const [processed, again] = [at(gateway.processed, request), at(gateway.again, request)]
    attempts.answered += bits(answered)
    attempts.unsent += bits(unsent)
    attempts.unknown += bits(unknown)
    processedAttempts += bits(processed)
    if (bits(processed) > 1) repeated++
    const found: (keyof typeof faults)[] = []
    if (processed === 0) found.push('lost')
    if (answered === 0) found.push('unanswered')
    if (again !== 0) found.push('doubled')
    if ((processed & unsent) !== 0) found.push('processed though unsent')
    if ((answered & ~processed) !== 0) found.push('answered though unprocessed')
    if ((processed & ~(answered | unsent | unknown)) !== 0) found.push('never sent')
    for (const fault of found) faults[fault]++
    if (found.length > 0 && examples.length < MAX_EXAMPLES)
      examples.push(
        `request ${request}: ${found.join(', ')} (attempts, a bit each: answered ${binary(answered)}, unsent ${binary(unsent)}, ` +
          `unknown ${binary(unknown)}; processed ${binary(processed)}, again ${binary(again)})`,
      )
  }
  return { faults, attempts, processed: processedAttempts, repeated, examples }
}

/** Empty without faults. */
export function faultsOf({ faults }: Verdict): readonly string[] {
  return Object.entries(faults).flatMap(([name, count]) => (count === 0 ? [] : [`${name} ${count}`]))
}

const MAX_EXAMPLES = 10

function at(book: Uint16Array, request: number): number {
  return book[request] ?? 0
}

function hasBit(book: Uint16Array, request: number, attempt: number): boolean {
  return (at(book, request) & (1 << attempt)) !== 0
}

function setBit(book: Uint16Array, request: number, attempt: number): void {
  book[request] = at(book, request) | (1 << attempt)
}

function bits(mask: number): number {
  let count = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++
  return count
}

function binary(mask: number): string {
  return mask.toString(2)
}
