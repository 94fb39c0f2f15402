import { startGateway } from '../gateway/gateway.ts'
import type { BenchGateway } from '../gateway/gateway.ts'
import { makeCalls } from '../measure/calls.ts'
import type { CallKind } from '../measure/load-plan.ts'
import { cpuMs, median } from '../measure/process-figures.ts'
import { CONTENT, finished } from '../measure/push-run.ts'
import { inRounds } from '../measure/rounds.ts'
import type { Contender } from '../measure/rounds.ts'
import type { Section } from '../report/result.ts'
import type { BenchContext } from '../setup/context.ts'
import { tokenOf } from '../setup/device-labels.ts'
import { copyOf, deviceSet } from '../setup/device-set.ts'
import { startServiceProcess } from '../setup/service-process.ts'
import { CONNECTIONS, FIRST_LAUNCH } from './register.ts'

export const PUSH_TO_ONE: CallKind = {
  name: 'push to one',
  method: 'POST',
  path: '/push/one',
  body: JSON.stringify({ ...CONTENT, token: '$token' }),
  status: 200,
}

/** How often the gateway, not the service, is polled. */
const LOOK_MS = 10

/** Single pushes up to the gateway, against registrations on the same service. */
export async function oneSection(context: BenchContext): Promise<Section> {
  const calls = context.quick ? 2000 : 20_000
  await using opened = new AsyncDisposableStack()
  const gateway = opened.use(await startGateway())
  const devices = opened.use(copyOf(deviceSet(context.folder, calls)))
  const server = opened.use(await startServiceProcess({ binary: context.binary, devices, gateway }))
  const { headers, pid } = server
  const plan = { server, headers, connections: CONNECTIONS, calls }
  const contenders: Contender[] = [
    {
      name: 'registrations',
      async run(round) {
        const { perSecond, cpuUs } = (await makeCalls({ ...plan, kind: FIRST_LAUNCH, from: (round + 1) * calls }))
          .values
        return { perSecond, cpuUs }
      },
    },
    {
      name: 'pushes to one',
      async run() {
        await gateway.reset()
        const cpu = cpuMs(pid)
        const { startedAtMs } = await makeCalls({ ...plan, kind: PUSH_TO_ONE, from: 0 })
        const lastMs = await arrived(gateway, calls)
        // One more push comes after all: outcomes still to be stored belong to this round.
        const id = (await server.call('POST', '/push/one', { ...CONTENT, token: tokenOf(0) })).id as string
        await finished(server, { id, postedAtMs: lastMs }, 1)
        const cpuUs = ((cpuMs(pid) - cpu) * 1000) / calls
        return { perSecond: (calls * 1000) / (lastMs - startedAtMs), cpuUs }
      },
    },
  ]
  for (const each of contenders) await each.run(0)
  const rows = await inRounds(contenders, context.rounds, context.say)
  const [registrations, pushes] = rows.map(({ values }) => median(values['perSecond'] ?? []))
  return {
    title: 'Push to one',
    conditions: `POST /push/one, each to another of ${calls} devices, over ${CONNECTIONS} keep-alive connections, each answered when it is durable: from the first call to the last request at the gateway, which answers at once. Beside them registrations of new devices, as in "Register".`,
    columns: [
      { key: 'perSecond', label: 'calls/s', digits: 0 },
      { key: 'cpuUs', label: 'CPU µs a call', digits: 1 },
    ],
    rows,
    notes: [],
    targets: [
      {
        what: 'pushes to one device, to the gateway, against registrations',
        value: (pushes ?? Number.NaN) / (registrations ?? Number.NaN),
        unit: 'times',
        digits: 2,
        better: 'more',
        required: 0.5,
        aim: 0.8,
      },
    ],
  }
}

/** Resolves to the time of the last request, ms since the Unix epoch. */
async function arrived(gateway: BenchGateway, count: number): Promise<number> {
  for (;;) {
    const { requests, lastMs } = await gateway.report()
    if (requests > count) throw new Error(`${requests} requests came to the gateway, where ${count} pushes were sent`)
    if (requests === count && lastMs !== null) return lastMs
    await Bun.sleep(LOOK_MS)
  }
}
