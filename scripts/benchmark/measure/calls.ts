import type { Column } from '../report/result.ts'
import type { ServerProcess } from '../setup/route-process.ts'
import { runLoad } from './load-plan.ts'
import type { CallKind } from './load-plan.ts'
import { cpuMs, rssMb } from './process-figures.ts'

/** Calls over keep-alive connections, each sent when the previous one is answered. */
export interface Calls {
  readonly server: ServerProcess
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  readonly kind: CallKind
  readonly calls: number
  /** Number of the first call: see `fill`. */
  readonly from: number
}

export const CALL_COLUMNS: readonly Column[] = [
  { key: 'perSecond', label: 'calls/s', digits: 0 },
  { key: 'p50Ms', label: 'p50 ms', digits: 2 },
  { key: 'p99Ms', label: 'p99 ms', digits: 2 },
  { key: 'cpuUs', label: 'CPU µs a call', digits: 1 },
  { key: 'peakRssMb', label: 'peak RSS MB', digits: 0 },
]

/** Returns values for `CALL_COLUMNS` and the server, and the caller's CPU µs a call. */
export async function makeCalls({ server, headers, connections, kind, calls, from }: Calls) {
  const { url, pid } = server
  const cpu = cpuMs(pid)
  const load = await runLoad({ url, headers, connections, perSecond: null, kinds: [kind], calls, from })
  const values = {
    perSecond: calls / load.seconds,
    p50Ms: load.kinds[kind.name]?.p50Ms ?? Number.NaN,
    p99Ms: load.kinds[kind.name]?.p99Ms ?? Number.NaN,
    cpuUs: ((cpuMs(pid) - cpu) * 1000) / calls,
    peakRssMb: rssMb(pid).peak,
  }
  return { values, callerUs: (load.cpuMs * 1000) / calls, startedAtMs: load.startedAtMs }
}
