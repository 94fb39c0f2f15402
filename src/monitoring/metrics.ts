import { CallMetrics } from './call-metrics.ts'
import { CommitMetrics } from './commit-metrics.ts'
import { gatewayLatency } from './delivery-metrics.ts'
import { LoopDelay } from './loop-delay.ts'
import { RECEIPT_EVENTS } from '../stats/receipt.ts'
import { Tally } from './tally.ts'

export type Metrics = ReturnType<typeof createMetrics>

/** Everything that is counted while the service runs, from zero at each start. */
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
    /** Calls with an unknown application, or a wrong secret. */
    wrongCredentials: 0,
    /** Connections of callers that had to end, to make room for others. */
    endedConnections: 0,
  }
}
