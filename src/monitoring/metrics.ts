import { RECEIPT_EVENTS } from '../stats/receipt.ts'
import { gatewayLatency } from './delivery-metrics.ts'
import { counter, histogram } from './exposition.ts'
import type { Family } from './exposition.ts'
import { Histogram } from './histogram.ts'
import { LoopDelay } from './loop-delay.ts'
import { Tally } from './tally.ts'

export type Metrics = ReturnType<typeof createMetrics>

/** In-memory counts, zero at each start. */
export function createMetrics() {
  return {
    calls: new CallMetrics(),
    commits: new CommitMetrics(),
    latency: gatewayLatency(),
    loop: new LoopDelay(),
    pushes: new Tally('sent', ['now', 'later']),
    receipts: new Tally('event', RECEIPT_EVENTS),
    refusals: new Tally('reason', ['rate', 'quota', 'rows', 'labels', 'devices', 'disk']),
    webhooks: new Tally('outcome', ['delivered', 'failed', 'given-up']),
    /** Calls with an unknown application or a wrong secret. */
    wrongCredentials: 0,
    /** Connections closed to make room for others. */
    endedConnections: 0,
  }
}

const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Callers could invent methods; each would be a new series. */
const METHODS = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS'])

interface Calls {
  readonly labels: { readonly route: string; readonly method: string }
  readonly seconds: Histogram
  readonly byStatus: Map<number, number>
}

/** By route, never by path: a path may contain a device token. */
export class CallMetrics {
  /** Nested, since a combined key would be built for each call. */
  readonly #routes = new Map<string, Map<string, Calls>>()
  readonly #all: Calls[] = []
  #count = 0

  get count(): number {
    return this.#count
  }

  /** `route`: as declared; `null`: no route matched. */
  note(route: string | null, method: string, status: number, seconds: number): void {
    this.#count++
    const calls = this.#callsOf(route ?? 'unknown', METHODS.has(method) ? method : 'other')
    calls.seconds.observe(seconds)
    calls.byStatus.set(status, (calls.byStatus.get(status) ?? 0) + 1)
  }

  families(): Family[] {
    return [
      counter(
        'bellhop_http_requests_total',
        'API calls by status.',
        this.#all.flatMap(({ labels: { route, method }, byStatus }) =>
          [...byStatus].map(([status, count]) => [{ route, method, code: String(status) }, count] as const),
        ),
      ),
      histogram(
        'bellhop_http_request_duration_seconds',
        "From a call's headers to its answer's headers.",
        this.#all.map(({ labels, seconds }) => [labels, seconds] as const),
      ),
    ]
  }

  #callsOf(route: string, method: string): Calls {
    let methods = this.#routes.get(route)
    if (methods === undefined) this.#routes.set(route, (methods = new Map()))
    let calls = methods.get(method)
    if (calls === undefined) {
      calls = { labels: { route, method }, seconds: new Histogram(CALL_SECONDS), byStatus: new Map() }
      methods.set(method, calls)
      this.#all.push(calls)
    }
    return calls
  }
}

const COMMIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

const COMMIT_OPERATIONS = [1, 2, 5, 10, 20, 50, 100, 200, 500]

class CommitMetrics {
  readonly #transaction = new Histogram(COMMIT_SECONDS)
  readonly #sync = new Histogram(COMMIT_SECONDS)
  readonly #operations = new Histogram(COMMIT_OPERATIONS)
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
        'The time a write takes: the shared transaction, then the sync to disk.',
        [
          [{ stage: 'transaction' }, this.#transaction],
          [{ stage: 'sync' }, this.#sync],
        ],
      ),
      histogram('bellhop_commit_operations', 'Writes that shared one transaction.', [[{}, this.#operations]]),
      counter(
        'bellhop_commit_failures_total',
        'Transactions or syncs that the database or disk refused.',
        this.#failed,
      ),
    ]
  }
}
