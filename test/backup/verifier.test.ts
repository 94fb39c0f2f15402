import { describe, expect, test } from 'bun:test'
import { backupNameAt } from '../../src/backup/backup-name.ts'
import type { Verification } from '../../src/backup/verified-file.ts'
import { createVerifier } from '../../src/backup/verifier.ts'
import type { VerifyOutcome } from '../../src/backup/own-process.ts'
import { createLog } from '../../src/log.ts'
import { createFakeClock } from '../support/fake-clock.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const GOOD: VerifyOutcome = { kind: 'good', devices: 3 }
const BAD: VerifyOutcome = { kind: 'bad', what: 'SQLite finds: Page 4 is never used.' }
const AWAY: VerifyOutcome = { kind: 'problem', problem: 'shop.example cannot be reached: it does not answer.' }

function place(known: Verification = { good: null, problem: null }) {
  const clock = createFakeClock()
  const log: Record<string, unknown>[] = []
  const state = {
    names: [backupNameAt(clock.now() - HOUR_MS)],
    outcome: GOOD,
    opened: [] as string[],
    kept: [] as Verification[],
    full: false,
  }
  const verifier = createVerifier({
    clock,
    log: createLog('info', clock.now, (line) => log.push(JSON.parse(line))),
    list: async () => ({ kind: 'list', backups: state.names.map((name) => ({ name, bytes: 1 })) }),
    verify(name) {
      state.opened.push(name)
      return { ended: Promise.resolve(state.outcome), stop: async () => {} }
    },
    known,
    keep(verification) {
      if (state.full) throw new Error('no space left on device')
      state.kept.push(verification)
    },
  })
  return Object.assign(state, {
    clock,
    log,
    verifier,
    /** Looks as often as it wants, like the schedule. Returns how often a backup was opened. */
    async pass(ms: number): Promise<number> {
      const before = state.opened.length
      for (const end = clock.now() + ms; clock.now() < end;) {
        clock.advance(Math.min(await verifier.look(), end - clock.now(), HOUR_MS))
      }
      return state.opened.length - before
    },
  })
}

describe('the newest backup', () => {
  test('is opened at once, and then once a day', async () => {
    const world = place()
    const [old = ''] = world.names
    expect(await world.pass(3 * DAY_MS)).toBe(3)
    const newer = backupNameAt(world.clock.now() - HOUR_MS)
    world.names = [old, newer]
    expect(await world.pass(DAY_MS)).toBe(1)
    expect(world.opened.at(-1)).toBe(newer)
    expect(world.verifier.state()).toEqual({
      good: { name: newer, at: world.clock.now() - DAY_MS, devices: 3 },
      problem: null,
    })
    expect(world.log[0]).toMatchObject({ level: 'info', event: 'backup verified', name: old, devices: 3 })
  })

  test('is not opened sooner for a restart, and sooner where the clock was set back', async () => {
    const first = place()
    await first.pass(1)
    const known = first.kept.at(-1) ?? { good: null, problem: null }
    const again = place(known)
    expect(await again.pass(23 * HOUR_MS)).toBe(0)
    expect(await again.pass(2 * HOUR_MS)).toBe(1)
    again.clock.set(again.clock.now() - 400 * DAY_MS)
    again.names = [backupNameAt(again.clock.now() - HOUR_MS)]
    expect(await again.pass(HOUR_MS)).toBe(1)
  })

  test('that is named by a clock that was wrong does not hide the newest', async () => {
    const world = place()
    const [newest = ''] = world.names
    world.names = ['bellhop-2031-01-01T000000Z.db', newest]
    await world.pass(1)
    expect(world.opened).toEqual([newest])
  })

  test('that is damaged is told of once, and opened again after a day, or sooner where there is a newer one', async () => {
    const world = place()
    await world.pass(1)
    world.clock.advance(DAY_MS)
    world.outcome = BAD
    const [name = ''] = world.names
    expect(await world.pass(DAY_MS)).toBe(1)
    const what = `The backup ${name} is not good: SQLite finds: Page 4 is never used.`
    expect(world.verifier.state()).toMatchObject({ good: { name }, problem: { name, what } })
    expect(world.log.filter(({ level }) => level === 'error')).toEqual([
      expect.objectContaining({ event: 'the newest backup was not verified', problem: what }),
    ])
    expect(await world.pass(2 * HOUR_MS)).toBe(1)
    world.outcome = GOOD
    world.names = [backupNameAt(world.clock.now()), name]
    expect(await world.pass(2 * HOUR_MS)).toBe(1)
    expect(world.verifier.state().problem).toBeNull()
  })

  test('that cannot be reached is tried again every hour', async () => {
    const world = place()
    world.outcome = AWAY
    expect(await world.pass(5 * HOUR_MS)).toBe(5)
    expect(world.verifier.state().problem?.what).toBe(
      `The backup ${world.names[0]} could not be verified: shop.example cannot be reached: it does not answer.`,
    )
    world.outcome = GOOD
    expect(await world.pass(5 * HOUR_MS)).toBe(1)
  })

  test('is known also where that cannot be written down, which is warned of', async () => {
    const world = place()
    world.full = true
    await world.pass(1)
    expect(world.verifier.state().good).toMatchObject({ devices: 3 })
    expect(world.log.at(-1)).toMatchObject({
      level: 'warn',
      event: 'the state of the newest backup could not be stored',
      error: 'Error: no space left on device',
    })
  })

  test('that is not there yet is waited for', async () => {
    const world = place()
    world.names = []
    expect(await world.pass(5 * HOUR_MS)).toBe(0)
    expect(world.log).toEqual([])
  })
})
