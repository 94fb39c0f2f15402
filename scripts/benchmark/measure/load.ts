// Makes the calls of a LoadPlan (JSON on standard input) and prints a LoadResult. Uses raw sockets and prepared
// requests: fetch would cost more than the measured server, on the same two cores.
import type { Socket } from 'bun'
import { kindOf, readAnswer, requestOf } from './load-plan.ts'
import type { LoadPlan, LoadResult } from './load-plan.ts'
import { quantile } from './quantile.ts'

/** `call` was due at `since` (ms); `received`: bytes of its answer so far. */
interface Lane {
  call: number
  since: number
  received: Buffer | null
}

const plan: LoadPlan = await Bun.stdin.json()
const { calls, perSecond, kinds } = plan
const requests = Array.from({ length: calls }, (_, index) => requestOf(plan, plan.from + index))
const times = new Float64Array(calls)
const late = new Float64Array(calls)
const idle: Socket<Lane>[] = []
const over = Promise.withResolvers<void>()
let next = 0
let answered = 0

const { hostname, port } = new URL(plan.url)
await Promise.all(Array.from({ length: plan.connections }, connect))
Bun.gc(true)
const cpu = process.cpuUsage()
const started = performance.now()
if (perSecond === null) for (const socket of idle.splice(0)) follow(socket)
else void keepSchedule(1000 / perSecond)
await over.promise
const seconds = (performance.now() - started) / 1000
const { user, system } = process.cpuUsage(cpu)
const result: LoadResult = {
  startedAtMs: performance.timeOrigin + started,
  seconds,
  cpuMs: (user + system) / 1000,
  lateP99Ms: quantile(late, 0.99),
  kinds: Object.fromEntries(kinds.map(({ name }, turn) => [name, summary(turn)])),
}
console.log(JSON.stringify(result))
process.exit(0)

async function connect(): Promise<void> {
  const lane: Lane = { call: -1, since: 0, received: null }
  const socket = await Bun.connect<Lane>({
    hostname,
    port: Number(port),
    data: lane,
    socket: {
      data: receive,
      close: () => over.reject(new Error('the service closed a connection')),
      error: (_socket, error) => over.reject(error),
    },
  })
  idle.push(socket)
}

/** Calls without an idle connection wait while their time runs; that does not count as this process's lateness. */
async function keepSchedule(gapMs: number): Promise<void> {
  let noticed = 0
  while (next < calls) {
    const now = performance.now()
    for (; noticed < calls && started + noticed * gapMs <= now; noticed++) {
      late[noticed] = now - (started + noticed * gapMs)
    }
    while (next < noticed) {
      // In turns: the service closes connections that are idle for long.
      const socket = idle.shift()
      if (socket === undefined) break
      send(socket, started + next * gapMs)
    }
    await Bun.sleep(1)
  }
}

function follow(socket: Socket<Lane>): void {
  if (next < calls) send(socket, performance.now())
}

function send(socket: Socket<Lane>, since: number): void {
  const lane = socket.data
  lane.call = next++
  lane.since = since
  const request = requests[lane.call] as Buffer // there are as many as calls
  if (socket.write(request) !== request.length) over.reject(new Error('a request did not fit the send buffer'))
}

function receive(socket: Socket<Lane>, chunk: Buffer): void {
  const lane = socket.data
  const bytes = lane.received === null ? chunk : Buffer.concat([lane.received, chunk])
  const answer = readAnswer(bytes)
  lane.received = answer === null ? Buffer.from(bytes) : null
  if (answer === null) return
  const kind = kindOf(kinds, plan.from + lane.call)
  if (answer.status !== kind.status || answer.bytes !== bytes.length) {
    over.reject(new Error(`${kind.name}: not ${kind.status} but ${bytes.toString()}`))
  }
  times[lane.call] = performance.now() - lane.since
  if (++answered === calls) over.resolve()
  else if (perSecond === null) follow(socket)
  else idle.push(socket)
}

function summary(turn: number): { p50Ms: number; p99Ms: number; maxMs: number } {
  const own = times.filter((_, index) => (plan.from + index) % kinds.length === turn)
  return { p50Ms: quantile(own, 0.5), p99Ms: quantile(own, 0.99), maxMs: quantile(own, 1) }
}
