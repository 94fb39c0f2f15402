import { describe, expect, test } from 'bun:test'
import { backupNameAt } from '../../src/backup/backup-name.ts'
import { startBackupSchedule } from '../../src/backup/schedule.ts'
import type { Making } from '../../src/backup/schedule.ts'
import { createLog } from '../../src/log.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import type { FakeClock } from '../support/fake-clock.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** A place with names, and a maker. `failing`: why making fails. */
function place(names: string[] = [], clock: FakeClock = createFakeClock()) {
  const log: Record<string, unknown>[] = []
  const world = {
    clock,
    names,
    log,
    failing: null as string | null,
    unreachable: null as string | null,
    /** If set, the next backup waits for it. */
    gate: null as PromiseWithResolvers<void> | null,
    made: [] as string[],
    running: 0,
    most: 0,
    stops: 0,
    start: () =>
      startBackupSchedule({
        clock,
        log: createLog('info', clock.now, (line) => log.push(JSON.parse(line))),
        everyMs: DAY_MS,
        async list() {
          if (world.unreachable !== null) return { kind: 'problem', problem: world.unreachable }
          return { kind: 'list', backups: world.names.map((name) => ({ name, bytes: 1 })) }
        },
        make,
        verifier: null,
      }),
    /** Advances in steps so that promises settle. */
    async pass(ms: number, stepMs = MINUTE_MS) {
      for (let passed = 0; passed < ms; passed += stepMs) {
        clock.advance(Math.min(stepMs, ms - passed))
        for (let turn = 0; turn < 10; turn++) await Promise.resolve()
      }
    },
  }
  function make(name: string): Making {
    world.running += 1
    world.most = Math.max(world.most, world.running)
    const ended = (async () => {
      await world.gate?.promise
      world.running -= 1
      if (world.failing !== null) return { kind: 'problem' as const, problem: world.failing }
      world.names = [...world.names, name]
      world.made.push(name)
      return { kind: 'made' as const, bytes: 1, erased: 0, warning: null }
    })()
    return {
      ended,
      async stop() {
        world.stops += 1
        world.gate?.resolve()
        await ended
      },
    }
  }
  return world
}

describe('when', () => {
  test('a service without a backup makes one soon, and then one a day', async () => {
    const world = place()
    const startedAt = world.clock.now()
    await using schedule = world.start()
    expect(schedule.state()).toEqual({ lastSuccessAt: null, lastError: null, everyMs: DAY_MS, verified: null })
    await world.pass(MINUTE_MS, 10_000)
    expect(world.made).toEqual([backupNameAt(startedAt + 10_000)])
    expect(schedule.state().lastSuccessAt).toBe(startedAt + 10_000)
    await world.pass(3 * DAY_MS)
    expect(world.made).toHaveLength(4)
  })

  test('a service that is started every hour still makes one a day', async () => {
    const world = place()
    for (let hour = 0; hour < 72; hour++) {
      await using _ = world.start()
      await world.pass(HOUR_MS, 10 * MINUTE_MS)
    }
    expect(world.made).toHaveLength(3)
  })

  test('one that was away for longer makes one soon after its start, and one that was not waits', async () => {
    const away = place()
    away.names = [backupNameAt(away.clock.now() - 3 * DAY_MS)]
    await using _first = away.start()
    await away.pass(MINUTE_MS)
    expect(away.made).toHaveLength(1)

    const back = place()
    back.names = [backupNameAt(back.clock.now() - DAY_MS + HOUR_MS)]
    await using _second = back.start()
    await back.pass(HOUR_MS - MINUTE_MS)
    expect(back.made).toHaveLength(0)
    await back.pass(2 * MINUTE_MS)
    expect(back.made).toHaveLength(1)
  })

  test('a backup that somebody made by hand counts', async () => {
    const world = place()
    await using _ = world.start()
    await world.pass(MINUTE_MS)
    await world.pass(12 * HOUR_MS)
    world.names = [...world.names, backupNameAt(world.clock.now())]
    await world.pass(20 * HOUR_MS)
    expect(world.made).toHaveLength(1)
    await world.pass(5 * HOUR_MS)
    expect(world.made).toHaveLength(2)
  })

  test('a clock that was wrong, or is put right, holds up nothing for long', async () => {
    const world = place(['bellhop-2031-01-01T000000Z.db'])
    await using _ = world.start()
    await world.pass(MINUTE_MS)
    expect(world.made).toHaveLength(1)
    world.clock.set(world.clock.now() - 400 * DAY_MS)
    await world.pass(2 * HOUR_MS)
    expect(world.made).toHaveLength(2)
  })
})

describe('failures', () => {
  test('are logged with a sentence, shown, and tried again: soon, and then ever less often', async () => {
    const world = place()
    world.failing = 'There is no room in /backups.'
    await using schedule = world.start()
    await world.pass(MINUTE_MS, 10_000)
    expect(schedule.state()).toMatchObject({ lastSuccessAt: null, lastError: 'There is no room in /backups.' })
    expect(world.log).toEqual([
      expect.objectContaining({
        level: 'error',
        event: 'no backup was made',
        problem: 'There is no room in /backups.',
        tries: 1,
      }),
    ])
    await world.pass(12 * HOUR_MS, 10_000)
    // 1, 2, 4 … 32 minutes, then every hour.
    expect(world.log.length).toBeGreaterThanOrEqual(16)
    expect(world.log.length).toBeLessThanOrEqual(20)
    expect(world.log.at(-1)).toMatchObject({ retryInMs: HOUR_MS })

    world.failing = null
    await world.pass(HOUR_MS)
    expect(world.made).toHaveLength(1)
    expect(schedule.state()).toMatchObject({ lastError: null, lastSuccessAt: expect.any(Number) })
  })

  test('a place that cannot be reached is one', async () => {
    const world = place()
    world.unreachable = 'shop.example cannot be reached: it does not answer.'
    await using schedule = world.start()
    await world.pass(MINUTE_MS, 10_000)
    expect(schedule.state().lastError).toBe('shop.example cannot be reached: it does not answer.')
    expect(world.made).toEqual([])
    world.unreachable = null
    await world.pass(2 * MINUTE_MS)
    expect(world.made).toHaveLength(1)
  })

  test('a late one is not started twice, and a stop ends it and waits for that', async () => {
    const world = place()
    world.gate = Promise.withResolvers()
    const schedule = world.start()
    await world.pass(3 * DAY_MS, HOUR_MS)
    expect(world.most).toBe(1)
    expect(world.made).toEqual([])
    await schedule[Symbol.asyncDispose]()
    expect(world.stops).toBe(1)
    expect(world.running).toBe(0)
    world.gate = null
    await world.pass(2 * DAY_MS, HOUR_MS)
    expect(world.most).toBe(1)
    expect(world.log).toEqual([])
  })
})
