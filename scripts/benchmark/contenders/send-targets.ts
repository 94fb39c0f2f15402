import { median } from '../measure/process-figures.ts'
import type { Row, Target } from '../report/result.ts'

/** Names of rows; `null`: not available here. */
interface Compared {
  readonly fetchLoop: string
  readonly nodeApn: string | null
  readonly go: string | null
  /** The service's HTTP/2 client alone. */
  readonly client: string
  readonly h2load: string | null
  /** The service with 1,000,000 devices; its row may be missing. */
  readonly million: string
}

/** Targets for a section's rows. The first row is the service. */
export function sendTargets(rows: readonly Row[], compared: Compared): readonly Target[] {
  const { fetchLoop, nodeApn, go, client, h2load, million } = compared
  const figure = (name: string, key: string): number => median(rows.find((row) => row.name === name)?.values[key] ?? [])
  const service = rows[0]?.name ?? ''

  const speed = (what: string, of: string, other: string | null, required: number, aim: number): readonly Target[] => {
    if (other === null) return []
    const value = figure(of, 'perSecond') / figure(other, 'perSecond')
    return [{ what: `${what} beside ${other}`, value, unit: '×', digits: 2, better: 'more', required, aim }]
  }
  const cpu = (required: number, aim: number): Target => {
    const value = figure(service, 'cpuUs') / figure(fetchLoop, 'cpuUs')
    return { what: `CPU a push beside ${fetchLoop}`, value, unit: '×', digits: 2, better: 'less', required, aim }
  }
  const peak = (required: number, aim: number): readonly Target[] => {
    const value = figure(million, 'peakMb')
    if (Number.isNaN(value)) return []
    return [{ what: `peak RSS, ${million}`, value, unit: 'MB', digits: 0, better: 'less', required, aim }]
  }
  return [
    ...speed('broadcast speed', service, fetchLoop, 1.5, 2.2),
    ...speed('broadcast speed', service, nodeApn, 2.2, 3.3),
    ...speed('broadcast speed', service, go, 3, 4.5),
    cpu(0.6, 0.4),
    ...speed('client alone: speed', client, h2load, 0.5, 0.8),
    ...peak(125, 100),
  ]
}
