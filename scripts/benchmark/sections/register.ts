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

/** An app's first launch. Every contender gets the same bytes. */
export const FIRST_LAUNCH: CallKind = {
  name: 'register',
  method: 'PUT',
  path: '/deviceToken',
  body: '{"token":"$token","platform":"0","tag":["common","group-$n%50","segment-$n%1000"],"alias":"user-$n"}',
  status: 201,
}

/** An unchanged later launch. */
const NEXT_LAUNCH: CallKind = { ...FIRST_LAUNCH, status: 200 }

/** Of all apps together, in every section with registrations. */
export const CONNECTIONS = 64

/** Registrations against the floor: the same rows, and nothing else. */
export async function registerSection(context: BenchContext): Promise<Section> {
  const calls = callsIn(context)
  await using opened = new AsyncDisposableStack()
  const servers = await startServers(context, opened)
  const { measured, rows } = await measure(context, servers, (server, round) =>
    makeCalls({
      server,
      calls,
      headers: servers.service.headers,
      connections: CONNECTIONS,
      kind: FIRST_LAUNCH,
      from: round * calls,
    }),
  )
  return {
    title: 'Register',
    conditions: `PUT /deviceToken with new tokens of 64 hex digits, three tags and an alias, ${calls} calls a round over ${CONNECTIONS} keep-alive connections. Bellhop admits each call. Bellhop and the floor answer when it is durable.`,
    columns: CALL_COLUMNS,
    rows,
    notes: [...notesOn(rows, measured), FLOOR],
    targets: [besideFloor(rows, 'registrations, durable')],
  }
}

/** The same for known, unchanged devices. */
export async function launchSection(context: BenchContext): Promise<Section> {
  const calls = callsIn(context)
  await using opened = new AsyncDisposableStack()
  const servers = await startServers(context, opened)
  const { bare, floor, service } = servers
  const plan = { headers: service.headers, connections: CONNECTIONS, calls, from: 0 }
  for (const server of [floor, service]) await makeCalls({ ...plan, server, kind: FIRST_LAUNCH })
  const { measured, rows } = await measure(context, servers, (server) =>
    makeCalls({ ...plan, server, kind: server === bare ? FIRST_LAUNCH : NEXT_LAUNCH }),
  )
  return {
    title: 'Launch',
    conditions: `The calls of "Register" by ${calls} devices that are registered, and say again what is known, over ${CONNECTIONS} keep-alive connections.`,
    columns: CALL_COLUMNS,
    rows,
    notes: [...notesOn(rows, measured), FLOOR],
    targets: [besideFloor(rows, 'launches of known devices, durable')],
  }
}

const FLOOR =
  'The floor: Bun.serve with the tables, indexes, group commit and checkpoints of Bellhop; it writes the same rows, but checks nothing, and keeps no quota.'

function callsIn({ quick }: BenchContext): number {
  return quick ? 3000 : 30_000
}

async function startServers({ binary, folder }: BenchContext, opened: AsyncDisposableStack) {
  const devices = () => opened.use(copyOf(deviceSet(folder, 0)))
  return {
    bare: opened.use(await startRoute('bare-route.ts')),
    floor: opened.use(await startRoute('floor-route.ts', devices().directory)),
    service: opened.use(await startServiceProcess({ binary, devices: devices() })),
  }
}

/** Runs all three in turns; `measured` is the caller's CPU µs a call. */
async function measure(
  { rounds, say }: BenchContext,
  { bare, floor, service }: Awaited<ReturnType<typeof startServers>>,
  call: (server: ServerProcess, round: number) => ReturnType<typeof makeCalls>,
) {
  const measured: number[] = []
  const contender = (name: string, server: ServerProcess): Contender => ({
    name,
    async run(round) {
      const made = await call(server, round)
      measured.push(made.callerUs)
      return made.values
    },
  })
  const contenders = [
    contender('Elysia route, no database', bare),
    contender('Floor', floor),
    contender('Bellhop', service),
  ]
  // Round 0 warms up JIT compilers, connections and disk caches.
  for (const each of contenders) await each.run(0)
  measured.length = 0
  return { measured, rows: await inRounds(contenders, rounds, say) }
}

/** Rows: bare route, floor, service. */
function mediansOf([bare, floor, service]: readonly Row[], key: string) {
  const of = (row?: Row) => median(row?.values[key] ?? [])
  return { bare: of(bare), floor: of(floor), service: of(service) }
}

function notesOn(rows: readonly Row[], callerUs: readonly number[]): readonly string[] {
  const [speed, cpu] = [mediansOf(rows, 'perSecond'), mediansOf(rows, 'cpuUs')]
  return [
    `The caller, a process of its own, uses ${median(callerUs).toFixed(1)} µs of CPU a call: where that is less than the server's, the server is what is measured.`,
    `By CPU a call instead of by calls a second, Bellhop is at ${(cpu.floor / cpu.service).toFixed(2)} of the floor.`,
    `The route without a database is there for orientation: the floor reaches ${(speed.floor / speed.bare).toFixed(2)} of it, and Bellhop ${(speed.service / speed.bare).toFixed(2)}.`,
  ]
}

function besideFloor(rows: readonly Row[], what: string): Target {
  const { floor, service } = mediansOf(rows, 'perSecond')
  return {
    what: `${what}, against their floor`,
    value: service / floor,
    unit: 'times',
    digits: 2,
    better: 'more',
    required: 0.75,
    aim: 0.9,
  }
}
