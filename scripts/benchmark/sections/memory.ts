import { startGateway } from '../gateway/gateway.ts'
import { forgetPeak, median, rssMb } from '../measure/process-figures.ts'
import { finished, pushToAll } from '../measure/push-run.ts'
import type { Section, Target } from '../report/result.ts'
import type { BenchContext } from '../setup/context.ts'
import { copyOf, deviceSet } from '../setup/device-set.ts'
import { startServiceProcess } from '../setup/service-process.ts'

/** Idle time before memory is read. In ms. */
const REST_MS = 2000

/** Start time with many devices, and memory: idle, and at the peak of a first broadcast. */
export async function memorySection(context: BenchContext): Promise<Section> {
  const count = context.quick ? 20_000 : 1_000_000
  const set = deviceSet(context.folder, count)
  const values = { startMs: [], idleMb: [], ownMb: [], peakMb: [], aboveMb: [] } as Record<string, number[]>
  await using gateway = await startGateway()
  for (let round = 1; round <= context.rounds; round++) {
    context.say(`round ${round} of ${context.rounds}`)
    using devices = copyOf(set)
    await using service = await startServiceProcess({ binary: context.binary, devices, gateway })
    await Bun.sleep(REST_MS)
    const { now: idleMb, own: ownMb } = rssMb(service.pid)
    forgetPeak(service.pid)
    await finished(service, await pushToAll(service), count, 100)
    const { peak: peakMb } = rssMb(service.pid)
    const found = { startMs: service.startMs, idleMb, ownMb, peakMb, aboveMb: peakMb - idleMb }
    for (const [key, value] of Object.entries(found)) values[key]?.push(value)
  }
  const target = (what: string, key: string, unit: string, required: number, aim: number): Target => {
    const value = median(values[key] ?? [])
    return { what: `${what}, ${count} devices`, value, unit, digits: 0, better: 'less', required, aim }
  }
  return {
    title: 'Memory',
    conditions: `Starts with ${count} devices in the database, ${REST_MS / 1000} s at rest, and then one broadcast to all of them. Rounds, each with a process of its own: ${context.rounds}.`,
    columns: [
      { key: 'startMs', label: 'start ms', digits: 0 },
      { key: 'idleMb', label: 'idle RSS MB', digits: 0 },
      { key: 'ownMb', label: 'of it not of files', digits: 0 },
      { key: 'peakMb', label: 'peak RSS MB, broadcast', digits: 0 },
      { key: 'aboveMb', label: 'above idle', digits: 0 },
    ],
    rows: [{ name: 'Bellhop', values }],
    notes: [
      'Of files: pages of the executable and of libraries, which the system shares, and takes back when it needs room.',
    ],
    targets: [
      target('start to ready', 'startMs', 'ms', 90, 60),
      target('idle RSS', 'idleMb', 'MB', 62, 50),
      target('memory above idle, at the most in a broadcast', 'aboveMb', 'MB', 60, 35),
    ],
  }
}
