import { join } from 'node:path'
import { startGateway } from '../gateway/gateway.ts'
import type { BenchGateway } from '../gateway/gateway.ts'
import { rampOf } from '../measure/arrival-rate.ts'
import type { Sample } from '../measure/arrival-rate.ts'
import { median } from '../measure/process-figures.ts'
import { epochMs, finished, pushToAll } from '../measure/push-run.ts'
import type { Row, Section, Target } from '../report/result.ts'
import type { BenchContext } from '../setup/context.ts'
import { copyOf, deviceSet } from '../setup/device-set.ts'
import { runSenderProgram } from '../setup/sender-process.ts'
import { startServiceProcess } from '../setup/service-process.ts'

/** Maximum requests in flight of one credential: MAX_SIZE of src/delivery/lane/congestion-window.ts. */
const WINDOW = 1000

/** Default limit of Bun's fetch, which must not show (bun.sh/docs, BUN_CONFIG_MAX_HTTP_REQUESTS). */
const DEFAULT_CAP = 256

/** Duration at the wire's limit, in seconds. */
const SECONDS = 20
const QUICK_SECONDS = 3

/** The delay with a target, in ms. */
const USUAL_MS = 100

/** A broadcast to a distant gateway: the wire allows no more than window / round trip. */
export async function latencySection(context: BenchContext): Promise<Section> {
  const delays = context.quick ? [USUAL_MS] : [50, USUAL_MS, 200]
  const rows: Row[] = []
  let usual = Number.NaN
  for (const delayMs of delays) {
    const limit = (WINDOW * 1000) / delayMs
    const count = limit * (context.quick ? QUICK_SECONDS : SECONDS)
    await using gateway = await startGateway({ delayMs })
    const far = { gateway, delayMs, limit, count }
    context.say(`${delayMs} ms: loop of fetch`)
    const bare = await bareLoop(far)
    context.say(`${delayMs} ms: broadcast to ${count}`)
    const broadcast = await farBroadcast(context, far)
    rows.push({ name: `${delayMs} ms, loop of fetch`, values: bare })
    const ofLoop = [median(broadcast.perSecond ?? []) / median(bare.perSecond ?? [])]
    rows.push({ name: `${delayMs} ms, broadcast`, values: { ...broadcast, ofLoop } })
    if (delayMs === USUAL_MS) usual = median(broadcast.ofLimit ?? [])
  }
  const target: Target = {
    what: `${USUAL_MS} ms to the gateway: speed against what the window allows`,
    value: usual,
    unit: 'times',
    digits: 2,
    better: 'more',
    required: 0.8,
    aim: 0.95,
  }
  return {
    title: 'Latency',
    conditions: `A gateway that answers after 50, 100 or 200 ms, ${WINDOW} requests in flight at the most: no sender can do more than ${WINDOW} in each round trip. A broadcast long enough to last ${context.quick ? QUICK_SECONDS : SECONDS} s at that limit, from the POST to the last answer, beside a loop of fetch that starts with ${WINDOW} in flight.`,
    columns: [
      { key: 'perSecond', label: 'requests/s', digits: 0 },
      { key: 'ofLimit', label: 'of the limit', digits: 3 },
      { key: 'ofLoop', label: 'of the loop', digits: 3 },
      { key: 'steady', label: 'after the start, of the limit', digits: 3 },
      { key: 'rampMs', label: 'ms to nine tenths', digits: 0 },
      { key: 'peak', label: 'most at once', digits: 0 },
    ],
    rows,
    notes: [
      'The window of a broadcast begins with one request, as Apple asks for, and opens by three with each success: fourfold in each round trip.',
    ],
    // A short broadcast is mostly its start.
    targets: context.quick ? [] : [target],
  }
}

interface Far {
  readonly gateway: BenchGateway
  readonly delayMs: number
  /** Requests a second that the window allows. */
  readonly limit: number
  readonly count: number
}

async function bareLoop({ gateway, delayMs, limit, count }: Far): Promise<Row['values']> {
  const program = {
    name: 'fetch',
    command: [process.execPath, join(import.meta.dir, '../contenders/senders/fetch-loop.ts')],
  }
  const { perSecond: untilLastArrival } = await runSenderProgram(program, gateway, { warmUp: 0, count })
  const perSecond = count / (count / untilLastArrival + delayMs / 1000)
  const { peak } = await gateway.report()
  return { perSecond: [perSecond], ofLimit: [perSecond / limit], peak: [peak] }
}

async function farBroadcast(context: BenchContext, { gateway, delayMs, limit, count }: Far): Promise<Row['values']> {
  using devices = copyOf(deviceSet(context.folder, count))
  await using service = await startServiceProcess({ binary: context.binary, devices, gateway })
  await gateway.reset()
  const push = await pushToAll(service)
  const samples = await samplesUntil(gateway, count)
  await finished(service, push, count)
  const { requests, lastMs, peak } = await gateway.report()
  if (requests !== count || lastMs === null) throw new Error(`${requests} requests for ${count} devices`)
  if (peak <= DEFAULT_CAP) throw new Error(`${peak} requests at once: the cap of fetch is in force`)
  const { rampMs, steady } = rampOf(samples, { startMs: push.postedAtMs, limit, roundTripMs: delayMs })
  const perSecond = (count * 1000) / (lastMs + delayMs - push.postedAtMs)
  return {
    perSecond: [perSecond],
    ofLimit: [perSecond / limit],
    peak: [peak],
    ...(rampMs !== null && { rampMs: [rampMs] }),
    ...(steady !== null && { steady: [steady / limit] }),
  }
}

const SAMPLE_MS = 20

/** Samples arrivals every 20 ms until all are there. */
async function samplesUntil(gateway: BenchGateway, count: number): Promise<readonly Sample[]> {
  const samples: Sample[] = []
  for (;;) {
    const { requests, lastMs } = await gateway.report()
    samples.push({ atMs: lastMs ?? epochMs(), requests })
    if (requests >= count) return samples
    await Bun.sleep(SAMPLE_MS)
  }
}
