import { counter, histogram } from './exposition.ts'
import type { Family } from './exposition.ts'
import { Histogram } from './histogram.ts'

/** An SSD syncs in a millisecond or less, a disk that is busy in tens. */
const BOUNDS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

const BOUNDS_OPERATIONS = [1, 2, 5, 10, 20, 50, 100, 200, 500]

/** The shared transactions of `group-commit.ts`. */
export class CommitMetrics {
  readonly #transaction = new Histogram(BOUNDS_SECONDS)
  readonly #sync = new Histogram(BOUNDS_SECONDS)
  readonly #operations = new Histogram(BOUNDS_OPERATIONS)
  #failed = 0

  committed(operations: number, seconds: number): void {
    this.#operations.observe(operations)
    this.#transaction.observe(seconds)
  }

  synced(seconds: number): void {
    this.#sync.observe(seconds)
  }

  failed(): void {
    this.#failed++
  }

  families(): Family[] {
    return [
      histogram(
        'bellhop_commit_duration_seconds',
        'What a write waits for: the transaction it shares with others, then the sync that puts it on disk.',
        [
          [{ stage: 'transaction' }, this.#transaction],
          [{ stage: 'sync' }, this.#sync],
        ],
      ),
      histogram('bellhop_commit_operations', 'Writes that shared one transaction.', [[{}, this.#operations]]),
      counter(
        'bellhop_commit_failures_total',
        'Transactions or syncs that the database or the disk refused.',
        this.#failed,
      ),
    ]
  }
}
