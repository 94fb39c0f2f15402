import type { PageRow, RecipientResult } from './store/open-delivery.ts'
import type { FinalVerdict } from './verdict.ts'

/** What became of recipients that were not simply accepted, until that is on disk. Times are service time. */
export class RecipientResults {
  readonly #rows: RecipientResult[] = []

  /** The same array at all times. */
  get rows(): readonly RecipientResult[] {
    return this.#rows
  }

  /** Recipients that wait for another attempt, and for nothing else. */
  get retries(): number {
    return this.#rows.filter(({ state }) => state === 'retry').length
  }

  /** Recipients with an answer still to come. */
  get leased(): number {
    return this.#rows.filter(({ state }) => state === 'leased').length
  }

  /** When the first of those that wait is due; Infinity where none waits. */
  get nextDueAt(): number {
    let next = Number.POSITIVE_INFINITY
    for (const row of this.#rows) if (waits(row)) next = Math.min(next, row.dueAt)
    return next
  }

  add(row: RecipientResult): void {
    this.#rows.push(row)
  }

  /** Those that wait for another attempt wait no longer than to `now`. */
  makeDue(now: number): void {
    for (const [index, row] of this.#rows.entries()) {
      if (row.state === 'retry') this.#rows[index] = { ...row, dueAt: Math.min(row.dueAt, now) }
    }
  }
}

/** The row of a recipient who was not accepted. */
export function resultOf(
  { recipient: { device, badge, language }, attempt }: { readonly recipient: PageRow; readonly attempt: number },
  verdict: Exclude<FinalVerdict, { kind: 'accepted' }>,
  now: number,
): RecipientResult {
  const { reason } = verdict
  if (verdict.kind === 'retry')
    return { device, state: 'retry', attempt, dueAt: verdict.dueAt, badge, reason, language }
  return { device, state: verdict.state, attempt, dueAt: now, badge, reason, language }
}

function waits({ state }: RecipientResult): boolean {
  return state === 'retry' || state === 'leased'
}
