import type { Scenario } from '../faults/scenarios/scenario.ts'
import { chance } from '../support/chance.ts'
import { devicesOf } from '../faults/stage/api.ts'
import { keyOf } from '../faults/stage/ledger.ts'
import type { Platform } from '../faults/stage/ledger.ts'
import type { Stage } from '../faults/stage/stage.ts'
import type { Cut, Kept, Mirror } from './mirror.ts'

/** One machine's death and the other's takeover. */
export interface Round extends Cut {
  readonly number: number
  /** Counted from the round's first push or the server's start. */
  readonly write: number
  readonly starting: boolean
  readonly kept: Kept
  readonly fenceMs: number
  /** Includes replaying the file system's journal. */
  readonly mountMs: number
  /** From the start on the second machine; `null`: the next round ends it. */
  readonly readyMs: number | null
  /** Acknowledged by any machine, unknown to the second. */
  readonly missing: number
}

/** More than a broadcast and its calls make. */
const MOST_WRITES = 200
/** More than a start makes. */
const MOST_WRITES_OF_START = 40
const STARTING_SHARE = 0.25
const LATENCY_MS = [5, 60] as const
const KINDS: readonly Kept[] = ['all', 'prefix', 'some']

/** Kills the serving machine at random writes, each time continuing on the other. */
export function failoverScenario(mirror: Mirror, onRound: (round: Round) => void): Scenario {
  return {
    name: 'failover',
    what: 'the machine dies at a random write, and the other one serves its copy of the volume',
    directory: mirror.directory,
    async run(stage, { rounds }) {
      // The harness copied a database to it.
      await mirror.sync()
      stage.apns.latencyMs = LATENCY_MS
      stage.fcm.latencyMs = LATENCY_MS
      let asked = 0
      for (let number = 1; number <= rounds; number++) {
        const startsAgain = number < rounds && diesStarting(stage, number + 1)
        const round = await failOverOnce({ stage, mirror, number, startsAgain, asked })
        if (round.readyMs !== null) asked = stage.ledger.pushes.length
        onRound(round)
      }
      return rounds
    },
    patienceMs: 150_000,
  }
}

interface Order {
  readonly stage: Stage
  readonly mirror: Mirror
  readonly number: number
  readonly startsAgain: boolean
  /** Pushes of earlier rounds. */
  readonly asked: number
}

async function failOverOnce({ stage, mirror, number, startsAgain, asked }: Order): Promise<Round> {
  const { seed } = stage
  const starting = stage.pid === null
  const write = 1 + Math.floor((starting ? MOST_WRITES_OF_START : MOST_WRITES) * chance(seed, 'write', number))
  const kept = KINDS[number % KINDS.length] ?? 'all'
  const cut = mirror.cutAfter(write, kept, Math.floor(2 ** 32 * chance(seed, 'kept', number)))
  if (starting) await stage.start({ untilReady: false })
  const traffic = trafficUntil(cut, stage)
  const found = await Promise.race([cut, traffic.then(() => cut)])

  const fencedAt = performance.now()
  // The server first: it must not lose its disk and refuse what the other copy has.
  const killed = stage.kill()
  await mirror.fence()
  const fenceMs = performance.now() - fencedAt
  await Promise.all([killed, traffic])

  const { mountMs } = await mirror.failOver()
  const round = { ...found, number, write, starting, kept, fenceMs, mountMs }
  if (startsAgain) return { ...round, readyMs: null, missing: 0 }
  const startedAt = performance.now()
  await stage.start()
  return { ...round, readyMs: performance.now() - startedAt, missing: await missing(stage, asked) }
}

function diesStarting({ seed }: Stage, number: number): boolean {
  return chance(seed, 'starting', number) < STARTING_SHARE
}

async function trafficUntil(cut: Promise<unknown>, { pushes, accidents }: Stage): Promise<void> {
  const over = new AbortController()
  void cut.then(() => over.abort())
  for (let turn = 0; !over.signal.aborted; turn++) {
    if (accidents.length > 0) throw new Error(accidents.join('; '))
    // Keeps a broadcast running.
    if (turn % 8 === 0) await pushes.toAll()
    else await Promise.all([pushes.toOne(0), pushes.toTag('few'), pushes.toOne(1)])
    await Bun.sleep(20)
  }
}

/** Acknowledged devices and pushes (since `from`) that the service does not know. */
async function missing({ api, ledger }: Stage, from: number): Promise<number> {
  const devices = await devicesOf(api)
  if (devices === null) throw new Error('the devices were not listed')
  const known = new Set(devices.map(({ platform, token }) => keyOf(Number(platform) as Platform, token)))
  let count = 0
  for (const [key, { ackedAt }] of ledger.devices) if (ackedAt !== null && !known.has(key)) count++
  for (const { id } of ledger.pushes.slice(from)) {
    const status = id === null ? 200 : (await api.call('GET', `/push/${id}`))?.status
    if (status === 404) count++
    else if (status !== 200) throw new Error(`a push could not be asked for: ${status}`)
  }
  return count
}
