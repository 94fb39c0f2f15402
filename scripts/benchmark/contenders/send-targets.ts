import { median } from '../measure/process-figures.ts'
import type { Row, Target } from '../report/result.ts'

/** Names of rows; `null`: could not be run here. */
interface Compared {
  readonly fetchLoop: string
  readonly nodeApn: string | null
  readonly go: string | null
  /** The service with 1,000,000 devices, of which there may be no row. */
  readonly million: string
}

/** What of the section's rows there are goals for. The first row is the service. */
export function sendTargets(rows: readonly Row[], { fetchLoop, nodeApn, go, million }: Compared): readonly Target[] {
  const figure = (name: string, key: string): number => median(rows.find((row) => row.name === name)?.values[key] ?? [])
  const service = rows[0]?.name ?? ''

  const speed = (other: string | null, required: number, aim: number): readonly Target[] => {
    if (other === null) return []
    const value = figure(service, 'perSecond') / figure(other, 'perSecond')
    return [{ what: `broadcast speed beside ${other}`, value, unit: '×', digits: 2, better: 'more', required, aim }]
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
    ...speed(fetchLoop, 0.9, 0.97),
    ...speed(nodeApn, 2.2, 3.3),
    ...speed(go, 1.1, 1.7),
    cpu(1.18, 1.08),
    ...peak(160, 110),
  ]
}
