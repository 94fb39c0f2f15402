import { statSync } from 'node:fs'
import { join } from 'node:path'
import { startGateway } from '../gateway/gateway.ts'
import { makeCalls } from '../measure/calls.ts'
import { median, rssMb } from '../measure/process-figures.ts'
import { inRounds } from '../measure/rounds.ts'
import type { Section, Target } from '../report/result.ts'
import type { BenchContext } from '../setup/context.ts'
import { copyOf, deviceSet } from '../setup/device-set.ts'
import { startServiceProcess } from '../setup/service-process.ts'
import { PUSH_TO_ONE } from './one.ts'
import { CONNECTIONS } from './register.ts'

/** Idle time before memory is read. In ms. */
const REST_MS = 3000

/** Memory and disk used by single pushes while the gateway does not answer. */
export async function waitingSection(context: BenchContext): Promise<Section> {
  const [first, more] = context.quick ? [2000, 10_000] : [20_000, 100_000]
  // Accepts requests and never answers.
  await using gateway = await startGateway({ delayMs: 2 ** 30 })
  const set = deviceSet(context.folder, first + more)
  const waiting = {
    name: 'a push that waits',
    async run() {
      using devices = copyOf(set)
      const file = join(devices.directory, 'bellhop.db')
      const bytes = statSync(file).size
      let grownMb: number
      {
        await using server = await startServiceProcess({ binary: context.binary, devices, gateway })
        const { headers, pid } = server
        const plan = { server, headers, connections: CONNECTIONS, kind: PUSH_TO_ONE }
        // The first ones fill caches, requests in flight and compiled code.
        await makeCalls({ ...plan, calls: first, from: 0 })
        await Bun.sleep(REST_MS)
        const before = rssMb(pid).now
        await makeCalls({ ...plan, calls: more, from: first })
        await Bun.sleep(REST_MS)
        grownMb = rssMb(pid).now - before
      }
      // The stopped service has moved the WAL into the file.
      return { memory: (grownMb * 1024 * 1024) / more, disk: (statSync(file).size - bytes) / (first + more) }
    },
  }
  const rows = await inRounds([waiting], context.rounds, context.say)
  const target = (what: string, key: string, goals: Pick<Target, 'required' | 'aim'>): Target => ({
    what: `${what}, a push to one device that waits`,
    value: median(rows[0]?.values[key] ?? []),
    unit: 'bytes',
    digits: 0,
    better: 'less',
    ...goals,
  })
  return {
    title: 'Waiting',
    conditions: `POST /push/one to ${more} devices, each another, while the gateway takes requests and answers none, after ${first} that wait already.`,
    columns: [
      { key: 'memory', label: 'bytes of memory', digits: 0 },
      { key: 'disk', label: 'bytes on disk', digits: 0 },
    ],
    rows,
    notes: [`Memory is read when the service has had nothing to do for ${REST_MS / 1000} s, in steps of 1 MB.`],
    targets: [
      target('memory', 'memory', { required: 300, aim: 100 }),
      target('disk', 'disk', { required: 500, aim: 300 }),
    ],
  }
}
