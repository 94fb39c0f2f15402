import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { lineReader } from '../measure/line-reader.ts'
import { runLoad } from '../measure/load-plan.ts'
import type { CallKind } from '../measure/load-plan.ts'
import { cpuMs, median, rssMb } from '../measure/process-figures.ts'
import { inRounds } from '../measure/rounds.ts'
import type { Contender } from '../measure/rounds.ts'
import type { Section } from '../report/result.ts'
import type { BenchContext } from '../setup/context.ts'
import { copyOf, deviceSet } from '../setup/device-set.ts'
import { endsWithUs } from '../setup/ends-with-us.ts'
import { startServiceProcess } from '../setup/service-process.ts'

/** An app's first launch. The same bytes go to every contender. */
export const FIRST_LAUNCH: CallKind = {
  name: 'register',
  method: 'PUT',
  path: '/deviceToken',
  body: '{"token":"$token","platform":"0","tag":["common","group-$n%50","segment-$n%1000"],"alias":"user-$n"}',
  status: 201,
}

const CONNECTIONS = 64

/** How fast apps register beside what a route costs that does nothing, and one that commits each call by itself. */
export async function registerSection(context: BenchContext): Promise<Section> {
  const calls = context.quick ? 3000 : 30_000
  await using opened = new AsyncDisposableStack()
  const service = opened.use(
    await startServiceProcess({ binary: context.binary, devices: opened.use(copyOf(deviceSet(context.folder, 0))) }),
  )
  const bare = opened.use(await startRoute('bare-route.ts'))
  const commit = opened.use(await startRoute('commit-route.ts', mkdtempSync(join(context.folder, 'commit-route-'))))

  const callerUs: number[] = []
  const { headers } = service
  const contender = (name: string, { url, pid }: { url: string; pid: number }): Contender => ({
    name,
    async run(round) {
      const cpu = cpuMs(pid)
      const plan = { url, headers, connections: CONNECTIONS, perSecond: null, kinds: [FIRST_LAUNCH] }
      const result = await runLoad({ ...plan, calls, from: round * calls })
      callerUs.push((result.cpuMs * 1000) / calls)
      return {
        perSecond: calls / result.seconds,
        p50Ms: result.kinds.register?.p50Ms ?? Number.NaN,
        p99Ms: result.kinds.register?.p99Ms ?? Number.NaN,
        cpuUs: ((cpuMs(pid) - cpu) * 1000) / calls,
        peakRssMb: rssMb(pid).peak,
      }
    },
  })
  const contenders = [
    contender('Elysia route, no database', bare),
    contender('Elysia route, a commit each call', commit),
    contender('Bellhop', service),
  ]
  // Round 0 warms up: just-in-time compilers, connections, the caches of the disk.
  for (const each of contenders) await each.run(0)
  callerUs.length = 0
  const rows = await inRounds(contenders, context.rounds, context.say)

  const [plain, , whole] = rows.map(({ values }) => ({
    perSecond: median(values.perSecond ?? []),
    cpuUs: median(values.cpuUs ?? []),
  }))
  return {
    title: 'Register',
    conditions: `PUT /deviceToken with new tokens of 64 hex digits, three tags and an alias, ${calls} calls a round over ${CONNECTIONS} keep-alive connections; Bellhop admits each call and answers when it is durable.`,
    columns: [
      { key: 'perSecond', label: 'calls/s', digits: 0 },
      { key: 'p50Ms', label: 'p50 ms', digits: 2 },
      { key: 'p99Ms', label: 'p99 ms', digits: 2 },
      { key: 'cpuUs', label: 'CPU µs a call', digits: 1 },
      { key: 'peakRssMb', label: 'peak RSS MB', digits: 0 },
    ],
    rows,
    notes: [
      `The caller, a process of its own, uses ${median(callerUs).toFixed(1)} µs of CPU a call: where that is less than the server's, the server is what is measured.`,
      `By CPU a call instead of by calls a second, Bellhop is at ${((plain?.cpuUs ?? 0) / (whole?.cpuUs ?? 0)).toFixed(2)} of the route without a database.`,
    ],
    targets: [
      {
        what: 'registrations, durable, against an Elysia route without a database',
        value: (whole?.perSecond ?? 0) / (plain?.perSecond ?? 0),
        unit: 'times',
        digits: 2,
        better: 'more',
        required: 0.3,
        aim: 0.5,
      },
    ],
  }
}

/** One of the plain routes beside this file, as a process that prints its address. */
async function startRoute(file: string, ...args: string[]): Promise<AsyncDisposable & { url: string; pid: number }> {
  const child = endsWithUs(
    Bun.spawn([process.execPath, join(import.meta.dir, '../contenders', file), ...args], {
      env: { ...process.env, NODE_ENV: 'production' },
      stdout: 'pipe',
      stderr: 'inherit',
    }),
  )
  return {
    url: await lineReader(child.stdout)(),
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}
