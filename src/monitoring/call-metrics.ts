import { counter, histogram } from './exposition.ts'
import type { Family } from './exposition.ts'
import { Histogram } from './histogram.ts'

/** A registration takes a millisecond or two, and the disk's sync with it. */
const BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Callers choose the method: what they make up must not make series. */
const METHODS = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS'])

interface Calls {
  readonly labels: { readonly route: string; readonly method: string }
  readonly seconds: Histogram
  readonly byStatus: Map<number, number>
}

/** The calls of the API, by route, never by path: a path may hold a device's token. */
export class CallMetrics {
  /** By route, then by method: a key of both would have to be put together for each call. */
  readonly #routes = new Map<string, Map<string, Calls>>()
  readonly #all: Calls[] = []
  #count = 0

  /** How many there were. */
  get count(): number {
    return this.#count
  }

  /** `route`: as it is declared; `null` for a path that leads nowhere. */
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
        'Calls of the API, by the status they were answered with.',
        this.#all.flatMap(({ labels: { route, method }, byStatus }) =>
          [...byStatus].map(([status, count]) => [{ route, method, code: String(status) }, count] as const),
        ),
      ),
      histogram(
        'bellhop_http_request_duration_seconds',
        'From the head of a call to the head of its answer.',
        this.#all.map(({ labels, seconds }) => [labels, seconds] as const),
      ),
    ]
  }

  #callsOf(route: string, method: string): Calls {
    let methods = this.#routes.get(route)
    if (methods === undefined) this.#routes.set(route, (methods = new Map()))
    let calls = methods.get(method)
    if (calls === undefined) {
      calls = { labels: { route, method }, seconds: new Histogram(BOUNDS_SECONDS), byStatus: new Map() }
      methods.set(method, calls)
      this.#all.push(calls)
    }
    return calls
  }
}
