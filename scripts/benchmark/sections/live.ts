import { startGateway } from '../gateway/gateway.ts'
import { keepBroadcasting } from '../measure/broadcasts.ts'
import { runLoad } from '../measure/load-plan.ts'
import type { CallKind, LoadResult } from '../measure/load-plan.ts'
import { median } from '../measure/process-figures.ts'
import { quantile } from '../measure/quantile.ts'
import { answeredAfter, singlePushes } from '../measure/single-push.ts'
import type { Row, Section, Target } from '../report/result.ts'
import type { BenchContext } from '../setup/context.ts'
import { copyOf, deviceSet } from '../setup/device-set.ts'
import { startServiceProcess } from '../setup/service-process.ts'

/** Of both kinds: random devices of 1,000,000 open their app. */
const PER_SECOND = 500

/** Like phones: no call waits for a connection until the service is a second behind. */
const CONNECTIONS = 512

const READ: CallKind = {
  name: 'GET /deviceToken/one',
  method: 'GET',
  path: '/deviceToken/one',
  headers: { token: '$token' },
  status: 200,
}

/** A later launch of a registered app. */
const LAUNCH: CallKind = {
  name: 'PUT /deviceToken',
  method: 'PUT',
  path: '/deviceToken',
  body: '{"token":"$token","platform":"0","tag":["common","group-$n%50","segment-$n%1000"]}',
  status: 200,
}

const SINGLE = 'POST /push/one'

/** How long other calls wait during a broadcast at full speed, against an idle service. */
export async function liveSection(context: BenchContext): Promise<Section> {
  const count = context.quick ? 100_000 : 1_000_000
  const seconds = context.quick ? 2 : 15
  const rounds = context.rounds
  const calls = PER_SECOND * seconds
  await using opened = new AsyncDisposableStack()
  const gateway = opened.use(await startGateway())
  const devices = opened.use(copyOf(deviceSet(context.folder, count)))
  const service = opened.use(await startServiceProcess({ binary: context.binary, devices, gateway }))
  const { url, headers } = service
  const plan = { url, headers, connections: CONNECTIONS, perSecond: PER_SECOND, kinds: [READ, LAUNCH], calls }

  const [idle, busy] = [newTimes(), newTimes()]
  const window = async (times: Times, number: number) => {
    const from = (number * calls) % (count - calls)
    const [load, pushes] = await Promise.all([runLoad({ ...plan, from }), singlePushes(service, seconds * 1000)])
    note(times, { ...load.kinds, [SINGLE]: summary(answeredAfter(devices.directory, pushes)) })
    times.lateP99Ms.push(load.lateP99Ms)
  }
  // Warm-up for the JIT compiler.
  await runLoad({ ...plan, calls: 2 * PER_SECOND, from: 0 })
  for (let round = 0; round < rounds; round++) {
    context.say(`alone, round ${round + 1} of ${rounds}`)
    await window(idle, round)
  }
  {
    using broadcasts = await keepBroadcasting(service, gateway, count)
    for (let round = 0; round < rounds; round++) {
      context.say(`during a broadcast, round ${round + 1} of ${rounds}`)
      await broadcasts.startCount()
      await window(busy, rounds + round)
      busy.perSecond.push(await broadcasts.perSecond())
    }
    // Also ends the open broadcast.
    await service[Symbol.asyncDispose]()
  }
  // Required: the figures before the client became faster. Calls must not wait longer for that.
  const target = ({ name }: CallKind, required: number, aim: number): Target => {
    const what = `${name} during a broadcast at full speed: p99`
    return { what, value: median(busy.p99Ms[name] ?? []), unit: 'ms', digits: 1, better: 'less', required, aim }
  }
  return {
    title: 'Live',
    conditions: `${PER_SECOND} calls a second on a schedule, GET and PUT in turns, for ${seconds} s, while broadcasts to ${count} devices run one after the other as fast as they go; times are counted from when a call was due. Single pushes, five a second: from the POST to the gateway's answer.`,
    columns: [
      { key: 'p50Ms', label: 'p50 ms', digits: 1 },
      { key: 'p99Ms', label: 'p99 ms', digits: 1 },
      { key: 'maxMs', label: 'worst ms', digits: 1 },
      { key: 'perSecond', label: 'pushes/s meanwhile', digits: 0 },
    ],
    rows: [READ.name, LAUNCH.name, SINGLE].flatMap((name) => [
      rowOf(`${name}, alone`, idle, name),
      rowOf(`${name}, during`, busy, name),
    ]),
    notes: [
      `The caller itself was late by ${median(idle.lateP99Ms).toFixed(1)} ms alone and ${median(busy.lateP99Ms).toFixed(1)} ms during a broadcast (p99): on two cores it waits for one like everybody else, and that is part of the times.`,
      'A single push during a broadcast waits at the stand-in for those in flight before it: up to 1000.',
    ],
    targets: [target(READ, 12.3, 8), target(LAUNCH, 23.7, 12)],
  }
}

interface Times {
  readonly p50Ms: Record<string, number[]>
  readonly p99Ms: Record<string, number[]>
  readonly maxMs: Record<string, number[]>
  readonly lateP99Ms: number[]
  /** Of the broadcast. */
  readonly perSecond: number[]
}

function newTimes(): Times {
  return { p50Ms: {}, p99Ms: {}, maxMs: {}, lateP99Ms: [], perSecond: [] }
}

type Summary = LoadResult['kinds'][string]

function note(times: Times, kinds: LoadResult['kinds']): void {
  for (const [name, found] of Object.entries(kinds)) {
    for (const key of ['p50Ms', 'p99Ms', 'maxMs'] as const) (times[key][name] ??= []).push(found[key])
  }
}

function summary(times: readonly number[]): Summary {
  return { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), maxMs: quantile(times, 1) }
}

function rowOf(name: string, { p50Ms, p99Ms, maxMs, perSecond }: Times, kind: string): Row {
  const values = { p50Ms: p50Ms[kind] ?? [], p99Ms: p99Ms[kind] ?? [], maxMs: maxMs[kind] ?? [] }
  return { name, values: perSecond.length === 0 ? values : { ...values, perSecond } }
}
