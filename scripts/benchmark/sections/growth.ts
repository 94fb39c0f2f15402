import { join } from 'node:path'
import { startGateway } from '../gateway/gateway.ts'
import type { BenchGateway } from '../gateway/gateway.ts'
import { runLoad } from '../measure/load-plan.ts'
import { cpuMs, forgetPeak, median, rssMb } from '../measure/process-figures.ts'
import { finished, pushToAll } from '../measure/push-run.ts'
import type { Row, Section, Target } from '../report/result.ts'
import type { BenchContext } from '../setup/context.ts'
import { copyOf, deviceSet } from '../setup/device-set.ts'
import type { DeviceSet } from '../setup/device-set.ts'
import { startServiceProcess } from '../setup/service-process.ts'
import type { ServiceProcess } from '../setup/service-process.ts'
import { FIRST_LAUNCH } from './register.ts'

const STARTS = 5

/** Minimum for one measurement: with fewer devices it takes several broadcasts. */
const PUSHES = 200_000
const QUICK_PUSHES = 10_000

/** So that small sizes do not measure compilation. */
const WARM_UP_PUSHES = 5
const WARM_UP_CALLS = 5000

/** Idle time before memory is read. In ms. */
const REST_MS = 2000

const MILLION = 1_000_000

/** What more devices cost: broadcasts, registrations, disk, memory, and start time. */
export async function growthSection(context: BenchContext): Promise<Section> {
  const sizes = context.quick ? [5_000, 30_000] : [10_000, 100_000, MILLION, 5 * MILLION]
  const pushes = context.quick ? QUICK_PUSHES : PUSHES
  await using gateway = await startGateway()
  const rows: (Row & { readonly count: number })[] = []
  for (const count of sizes) {
    context.say(`${count} devices: preparing`)
    const set = deviceSet(context.folder, count)
    using devices = copyOf(set)
    context.say(`${count} devices: starts, broadcast, registrations`)
    rows.push({ name: `${count} devices`, count, values: await measure(context, { devices, gateway, pushes }) })
  }
  const million = rows.find(({ count }) => count === MILLION)
  return {
    title: 'Growth',
    conditions: `The same service with more and more devices of 64 hex digits and three tags: ${STARTS} starts, then in the last of them broadcasts to all, ${pushes} pushes or more, then registrations of new devices.`,
    columns: [
      { key: 'perSecond', label: 'pushes/s', digits: 0 },
      { key: 'pushUs', label: 'CPU µs a push', digits: 1 },
      { key: 'registrationUs', label: 'CPU µs a registration', digits: 0 },
      { key: 'bytes', label: 'database bytes a device', digits: 0 },
      { key: 'startMs', label: 'start ms', digits: 0 },
      { key: 'idleMb', label: 'idle RSS MB', digits: 0 },
      { key: 'peakMb', label: 'peak RSS MB, broadcast', digits: 0 },
      { key: 'afterMb', label: 'RSS MB, at rest after all', digits: 0 },
    ],
    rows,
    notes: [`Idle and at rest: ${REST_MS / 1000} s after the start, and after the last call.`],
    targets: million === undefined ? [] : targetsOf(million.values),
  }
}

async function measure(
  { binary, quick }: BenchContext,
  { devices, gateway, pushes }: { devices: DeviceSet; gateway: BenchGateway; pushes: number },
): Promise<Row['values']> {
  const bytes = Bun.file(join(devices.directory, 'bellhop.db')).size / devices.count
  const startMs: number[] = []
  for (let n = 1; n < STARTS; n++) {
    await using service = await startServiceProcess({ binary, devices, gateway })
    startMs.push(service.startMs)
  }
  await using service = await startServiceProcess({ binary, devices, gateway })
  startMs.push(service.startMs)
  await Bun.sleep(REST_MS)
  const idleMb = rssMb(service.pid).now

  for (let n = 0; n < WARM_UP_PUSHES; n++) await finished(service, await pushToAll(service, { tags: ['rare'] }), 1000)
  const broadcast = await timedBroadcasts(service, gateway, devices.count, Math.ceil(pushes / devices.count))
  const peakMb = rssMb(service.pid).peak
  const registrationUs = await registrationCost(service, devices.count, quick ? 2000 : 20_000)
  await Bun.sleep(REST_MS)
  const afterMb = rssMb(service.pid).now
  return {
    perSecond: [broadcast.perSecond],
    pushUs: [broadcast.cpuUs],
    registrationUs: [registrationUs],
    bytes: [bytes],
    startMs,
    idleMb: [idleMb],
    peakMb: [peakMb],
    afterMb: [afterMb],
  }
}

async function timedBroadcasts(
  service: ServiceProcess,
  gateway: BenchGateway,
  count: number,
  times: number,
): Promise<{ readonly perSecond: number; readonly cpuUs: number }> {
  await gateway.reset()
  forgetPeak(service.pid)
  const [cpu, started] = [cpuMs(service.pid), performance.now()]
  for (let n = 0; n < times; n++) await finished(service, await pushToAll(service), count, 5)
  const seconds = (performance.now() - started) / 1000
  const cpuUs = ((cpuMs(service.pid) - cpu) * 1000) / (count * times)
  const { requests } = await gateway.report()
  if (requests !== count * times) throw new Error(`${requests} requests for ${count} devices, ${times} times`)
  return { perSecond: (count * times) / seconds, cpuUs }
}

/** In µs a call; devices from number `from` on are new. */
async function registrationCost({ url, headers, pid }: ServiceProcess, from: number, calls: number): Promise<number> {
  const plan = { url, headers, connections: 64, perSecond: null, kinds: [FIRST_LAUNCH] }
  await runLoad({ ...plan, calls: WARM_UP_CALLS, from })
  const cpu = cpuMs(pid)
  await runLoad({ ...plan, calls, from: from + WARM_UP_CALLS })
  return ((cpuMs(pid) - cpu) * 1000) / calls
}

function targetsOf(values: Row['values']): readonly Target[] {
  const target = (what: string, key: string, unit: string, required: number, aim: number): Target => ({
    what: `${what}, 1,000,000 devices`,
    value: median(values[key] ?? []),
    unit,
    digits: 0,
    better: 'less',
    required,
    aim,
  })
  return [target('database, a device', 'bytes', 'bytes', 400, 250)]
}
