import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { CALL_COLUMNS, makeCalls } from '../measure/calls.ts'
import type { CallKind } from '../measure/load-plan.ts'
import { median } from '../measure/process-figures.ts'
import { inRounds } from '../measure/rounds.ts'
import type { Contender } from '../measure/rounds.ts'
import type { Row, Section, Target } from '../report/result.ts'
import type { BenchContext } from '../setup/context.ts'
import { copyOf, deviceSet } from '../setup/device-set.ts'
import { startRoute } from '../setup/route-process.ts'
import type { ServerProcess } from '../setup/route-process.ts'
import { startServiceProcess } from '../setup/service-process.ts'

/** An app's first launch. The same bytes go to every contender. */
export const FIRST_LAUNCH: CallKind = {
  name: 'register',
  method: 'PUT',
  path: '/deviceToken',
  body: '{"token":"$token","platform":"0","tag":["common","group-$n%50","segment-$n%1000"],"alias":"user-$n"}',
  status: 201,
}

/** A later launch, which says the same. */
const NEXT_LAUNCH: CallKind = { ...FIRST_LAUNCH, status: 200 }

/** Of the apps together, here and wherever registrations are measured. */
export const CONNECTIONS = 64

/** How fast apps register beside what a route costs that does nothing, and one that commits each call by itself. */
export async function registerSection(context: BenchContext): Promise<Section> {
  const calls = callsIn(context)
  await using opened = new AsyncDisposableStack()
  const service = opened.use(
    await startServiceProcess({ binary: context.binary, devices: opened.use(copyOf(deviceSet(context.folder, 0))) }),
  )
  const bare = opened.use(await startRoute('bare-route.ts'))
  const commit = opened.use(await startRoute('commit-route.ts', mkdtempSync(join(context.folder, 'commit-route-'))))

  const callerUs: number[] = []
  const contender = (name: string, server: ServerProcess): Contender => ({
    name,
    async run(round) {
      const { headers } = service
      const from = round * calls
      const made = await makeCalls({ server, headers, connections: CONNECTIONS, kind: FIRST_LAUNCH, calls, from })
      callerUs.push(made.callerUs)
      return made.values
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
  return {
    title: 'Register',
    conditions: `PUT /deviceToken with new tokens of 64 hex digits, three tags and an alias, ${calls} calls a round over ${CONNECTIONS} keep-alive connections; Bellhop admits each call and answers when it is durable.`,
    columns: CALL_COLUMNS,
    rows,
    notes: notesOn(rows, callerUs),
    targets: [besideBare(rows, 'registrations, durable', { required: 0.45, aim: 0.6 })],
  }
}

/** The same of devices that are known already, and have nothing new to say. */
export async function launchSection(context: BenchContext): Promise<Section> {
  const calls = callsIn(context)
  await using opened = new AsyncDisposableStack()
  const service = opened.use(
    await startServiceProcess({ binary: context.binary, devices: opened.use(copyOf(deviceSet(context.folder, 0))) }),
  )
  const bare = opened.use(await startRoute('bare-route.ts'))
  const { headers } = service
  const plan = { headers, connections: CONNECTIONS, calls, from: 0 }

  const callerUs: number[] = []
  const contender = (name: string, server: ServerProcess, kind: CallKind): Contender => ({
    name,
    async run() {
      const made = await makeCalls({ ...plan, server, kind })
      callerUs.push(made.callerUs)
      return made.values
    },
  })
  await makeCalls({ ...plan, server: service, kind: FIRST_LAUNCH })
  const contenders = [
    contender('Elysia route, no database', bare, FIRST_LAUNCH),
    contender('Bellhop', service, NEXT_LAUNCH),
  ]
  for (const each of contenders) await each.run(0)
  callerUs.length = 0
  const rows = await inRounds(contenders, context.rounds, context.say)
  return {
    title: 'Launch',
    conditions: `The calls of "Register" by ${calls} devices that are registered, and say again what is known, over ${CONNECTIONS} keep-alive connections.`,
    columns: CALL_COLUMNS,
    rows,
    notes: notesOn(rows, callerUs),
    targets: [besideBare(rows, 'launches of known devices', { required: 0.6, aim: 0.8 })],
  }
}

function callsIn({ quick }: BenchContext): number {
  return quick ? 3000 : 30_000
}

/** The first row is the plain route, the last the service. */
function ofBoth(rows: readonly Row[], key: string): { readonly bare: number; readonly service: number } {
  return { bare: median(rows[0]?.values[key] ?? []), service: median(rows.at(-1)?.values[key] ?? []) }
}

function notesOn(rows: readonly Row[], callerUs: readonly number[]): readonly string[] {
  const { bare, service } = ofBoth(rows, 'cpuUs')
  return [
    `The caller, a process of its own, uses ${median(callerUs).toFixed(1)} µs of CPU a call: where that is less than the server's, the server is what is measured.`,
    `By CPU a call instead of by calls a second, Bellhop is at ${(bare / service).toFixed(2)} of the route without a database.`,
  ]
}

function besideBare(rows: readonly Row[], what: string, goals: Pick<Target, 'required' | 'aim'>): Target {
  const { bare, service } = ofBoth(rows, 'perSecond')
  return {
    what: `${what}, against an Elysia route without a database`,
    value: service / bare,
    unit: 'times',
    digits: 2,
    better: 'more',
    ...goals,
  }
}
