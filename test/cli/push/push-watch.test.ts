import { describe, expect, test } from 'bun:test'
import { watchPush } from '../../../src/cli/push/push-watch.ts'
import { createProgress } from '../../../src/cli/terminal/progress.ts'
import type { PlatformProgress, StoredPush } from '../../../src/push/status/status.ts'
import { createFakeClock } from '../../support/fake-clock.ts'

const PUSH: StoredPush = {
  number: 1,
  id: 'push',
  createdAt: 0,
  sendAt: null,
  releasedAt: 0,
  cancelledAt: null,
  wavesToCome: 0,
}

const REACH: PlatformProgress = {
  platform: 0,
  t: 1000,
  s: 0,
  failed: 0,
  removed: 0,
  waiting: 1000,
  retrying: 0,
  open: true,
  startedAt: null,
  finishedAt: null,
  refused: null,
}

interface Course {
  /** The database's progress at each look; the last one stays. */
  readonly looks: readonly Partial<PlatformProgress>[]
  readonly terminal?: boolean
  readonly pause?: string
  /** Ctrl-C at this look. */
  readonly stopAt?: number
}

/** A look every 250 ms of a clock that does not wait. */
async function watch({ looks, terminal = true, pause, stopAt = Infinity }: Course) {
  const clock = createFakeClock()
  let look = 0
  let drawn = ''
  const surroundings = {
    clock,
    stderr: (text: string) => void (drawn += text),
    terminal: terminal ? { columns: 100 } : null,
  }
  const watched = await watchPush({
    application: 1,
    id: 'push',
    statuses: {
      find: () => PUSH,
      reach: () => [{ ...REACH, ...looks[Math.min(look, looks.length - 1)] }],
      failureCounts: async () => ({ reasons: new Map(), languages: new Map() }),
    },
    expected: Promise.resolve(1000),
    clock,
    polling: {
      async next(waitMs) {
        clock.advance(waitMs)
        look++
        return look >= stopAt ? 'stopped' : 'tick'
      },
    },
    progress: createProgress(surroundings, { unit: 'devices' }),
    pauseOf: () => pause ?? null,
    patienceMs: terminal ? null : 30_000,
  })
  return { watched, lines: drawn.split('\r\u001B[K').slice(1), drawn }
}

describe('a push that is watched', () => {
  test('shows how far it is, and what has failed', async () => {
    const done = { s: 990, failed: 10, open: false, finishedAt: createFakeClock().now() + 1000 }
    const { watched, lines } = await watch({
      looks: [{ t: 0 }, { s: 100 }, { s: 200 }, { s: 300 }, { s: 500, failed: 10 }, done],
    })
    expect(lines).toEqual([
      // Not counted yet.
      '0 devices',
      ` 10 % [${'#'.repeat(4)}${'-'.repeat(36)}] 100 of 1,000 devices`,
      ` 20 % [${'#'.repeat(8)}${'-'.repeat(32)}] 200 of 1,000 devices`,
      ` 30 % [${'#'.repeat(12)}${'-'.repeat(28)}] 300 of 1,000 devices`,
      ` 51 % [${'#'.repeat(20)}${'-'.repeat(20)}] 510 of 1,000 devices, 510/s, 1 s left, 10 failed`,
    ])
    expect(watched).toMatchObject({ kind: 'finished', result: { state: 'finished', t: 1000, s: 990, failed: 10 } })
  })

  test('says why it stands still, as far as the server tells', async () => {
    const { watched, lines } = await watch({ looks: [{}], pause: 'InvalidProviderToken', stopAt: 10 })
    expect(lines.at(-1)).toContain('waits: InvalidProviderToken')
    expect(watched).toMatchObject({ kind: 'stopped', result: { state: 'paused', waitsFor: 'InvalidProviderToken' } })
    const unknown = await watch({ looks: [{}], stopAt: 10 })
    expect(unknown.drawn).not.toContain('waits')
    expect(unknown.watched).toMatchObject({ kind: 'stopped', result: { state: 'sending', waitsFor: null } })
  })

  test('is left where nobody watches and nothing happens for 30 seconds', async () => {
    const { watched, drawn } = await watch({ looks: [{ s: 1 }], terminal: false })
    expect(watched).toMatchObject({ kind: 'standing', result: { s: 1 } })
    // A line every 10 seconds.
    expect(drawn.split('\n')).toHaveLength(3)
  })
})
