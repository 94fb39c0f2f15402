import { Database } from 'bun:sqlite'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { UNWRITTEN_CODE } from '../../support/service-process.ts'
import { registerBatch, tokenOf } from '../stage/crowd.ts'
import { fillDisk } from '../stage/disk.ts'
import { settled } from '../stage/settled.ts'
import type { Stage } from '../stage/stage.ts'
import type { Scenario } from './scenario.ts'

const MEBIBYTE = 1024 * 1024

const TRAFFIC_MS = 3_000

/** More than twice `UNWRITTEN_MOST` of judge.ts. */
const CROWD = 20_000
const CROWD_TAG = 'crowd'

/** Makes the broadcast take seconds. */
const LATENCY_MS = [200, 400] as const

/** Arrivals before the disk fills. */
const BEGUN = 1_000

/** Time limit for the service to stop sending on a full disk, in ms. */
const STANDSTILL_MS = 20_000

/** The message of exit code `UNWRITTEN_CODE`. */
const UNWRITTEN_SENTENCE = /(\d+) notifications? that (?:was|were) sent could not be stored, and will be sent again/

/** So many that new ones of this size touch an index page each: one round exceeds SQLite's cache. */
const LONG_TOKENS = 40_000
const LONG_TOKEN_CHARACTERS = 440
const SPILL_ROUNDS = 3
const SPILL_BATCHES = 16
const SPILL_PUSHES = 40
const SPILL_ROOM_BYTES = 8 * MEBIBYTE

export const DISK_SCENARIOS: readonly Scenario[] = [
  {
    name: 'disk-full',
    what: 'the disk is full for 3 s',
    // On a smaller disk the service takes nothing new anyway.
    diskBytes: 192 * MEBIBYTE,
    async run(stage) {
      await stage.pushes.toAll({ badge: true })
      const before = stage.registrar.counts.refused
      const free = fillDisk(stage.data)
      await stage.pushes.mixture(TRAFFIC_MS)
      free()
      const refused = stage.registrar.counts.refused - before
      await stage.pushes.toAll()
      return refused
    },
  },
  {
    name: 'disk-spill',
    what: `the disk fills inside a transaction, ${SPILL_ROUNDS} times: what is refused is neither stored nor sent`,
    diskBytes: 320 * MEBIBYTE,
    async run(stage) {
      for (let from = 0; from < LONG_TOKENS; from += 500) await registerBatch(stage, 1, longTokens(stage, from, 500))
      let refused = 0
      for (let round = 0; round < SPILL_ROUNDS; round++) {
        const tokens = LONG_TOKENS + round * SPILL_BATCHES * 500
        await stage.pushes.toTag('odd')
        emptyLog(stage)
        const goOn = stage.freeze()
        const calls = [
          ...Array.from({ length: SPILL_BATCHES }, (_, n) =>
            registerBatch(stage, 1, longTokens(stage, tokens + n * 500, 500)),
          ),
          ...Array.from({ length: SPILL_PUSHES }, async () => (await stage.pushes.toOne(1), true)),
        ]
        // All calls must be under way.
        await Bun.sleep(100)
        const free = fillDisk(stage.data, SPILL_ROOM_BYTES)
        goOn()
        refused += (await Promise.all(calls)).filter((taken) => !taken).length
        free()
        await settled(stage, STANDSTILL_MS)
      }
      return refused
    },
  },
  unwritten(
    'unwritten-kill',
    'kill -9 on a full disk: what was sent and is not written down is sent again',
    async (stage) => {
      stage.unwritten.add(stage.life)
      await stage.kill()
    },
  ),
  unwritten('unwritten-stop', 'SIGTERM on a full disk: it says how much will be sent again', async (stage) => {
    const { life } = stage
    const exitCode = await stage.stop([0, UNWRITTEN_CODE])
    if (exitCode !== UNWRITTEN_CODE) return
    stage.unwritten.add(life)
    if (!UNWRITTEN_SENTENCE.test(stage.log())) stage.accuse(`it ended with ${exitCode} and did not say why`)
  }),
]

/** The disk fills during a broadcast, the service ends, gets room, and starts. */
function unwritten(name: string, what: string, end: (stage: Stage) => Promise<void>): Scenario {
  return {
    name,
    what,
    diskBytes: 192 * MEBIBYTE,
    async run(stage) {
      for (let from = 0; from < CROWD; from += 500) {
        await registerBatch(stage, 0, hexTokens(stage, from, 500), [CROWD_TAG])
      }
      const { arrivals } = stage.apns
      stage.apns.latencyMs = LATENCY_MS
      emptyLog(stage)
      await stage.pushes.toTag(CROWD_TAG)
      while (arrivals.length < BEGUN) await Bun.sleep(5)
      const freeMost = fillDisk(stage.data)
      // Otherwise the service frees it now.
      rmSync(join(stage.data, 'reserve'), { force: true })
      const freeRest = fillDisk(dirname(stage.data))
      const deadline = Date.now() + STANDSTILL_MS
      for (let before = 0; arrivals.length > before && Date.now() < deadline;) {
        before = arrivals.length
        await Bun.sleep(1_500)
      }
      const unwritten = arrivals.length - acceptedIn(stage)
      await end(stage)
      freeMost()
      freeRest()
      await stage.start()
      return unwritten
    },
    patienceMs: 120_000,
  }
}

/** Deliveries stored as accepted. */
function acceptedIn({ data }: Stage): number {
  using database = new Database(join(data, 'bellhop.db'), { readonly: true })
  const sum = database.query<{ accepted: number }, []>('SELECT coalesce(sum(accepted), 0) AS accepted FROM delivery')
  return sum.get()?.accepted ?? 0
}

/** A long WAL file takes writes on a full disk. */
function emptyLog({ data }: Stage): void {
  using database = new Database(join(data, 'bellhop.db'))
  database.run('PRAGMA busy_timeout = 5000')
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
}

function hexTokens({ seed }: Stage, from: number, count: number): string[] {
  return Array.from({ length: count }, (_, n) => tokenOf(0, 'crowd', seed, from + n))
}

/** Not hexadecimal: those are stored in half the bytes. */
function longTokens({ seed }: Stage, from: number, count: number): string[] {
  return Array.from({ length: count }, (_, n) => tokenOf(0, 'long', seed, from + n).padEnd(LONG_TOKEN_CHARACTERS, 'x'))
}
