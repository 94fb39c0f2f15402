import { describe, expect, test } from 'bun:test'
import { finishedAtOf, rateOf, startedAtOf, pushStateOf } from '../../../src/push/status/status.ts'
import type { PushState, PlatformProgress, StoredPush } from '../../../src/push/status/status.ts'

const PUSH: StoredPush = {
  number: 1,
  id: '019a9f7e-3c1b-7000-8000-000000000000',
  createdAt: 1000,
  sendAt: null,
  releasedAt: 1000,
  cancelledAt: null,
  wavesToCome: 0,
}

const reachOf = (platform: 0 | 1, more: Partial<PlatformProgress> = {}): PlatformProgress => ({
  platform,
  t: 10,
  s: 10,
  failed: 0,
  removed: 0,
  waiting: 0,
  retrying: 0,
  open: false,
  startedAt: 1100,
  refused: null,
  finishedAt: 2000,
  ...more,
})
const OVER = reachOf(0)
const OPEN = reachOf(1, { s: 9, waiting: 1, open: true, finishedAt: null })
const OPEN_TOO = reachOf(0, { s: 9, waiting: 1, open: true, finishedAt: null })
const UNCOUNTED = reachOf(0, { t: 0, s: 0, open: true, startedAt: null, finishedAt: null })

type Case = readonly [
  state: PushState,
  about: string,
  push: Partial<StoredPush>,
  reach: readonly PlatformProgress[],
  paused: string,
]
const CASES: readonly Case[] = [
  ['scheduled', 'before its moment', { releasedAt: null, sendAt: 5000 }, [], ''],
  ['sending', 'while one platform is open', {}, [OVER, OPEN], ''],
  ['sending', 'while one platform waits and one does not', {}, [OPEN, OPEN_TOO], '0'],
  ['paused', 'while all that is open waits', {}, [OVER, OPEN], '1'],
  ['paused', 'while both wait', {}, [OPEN, OPEN_TOO], '01'],
  [
    'paused',
    'while one platform waits and the other, which could not be sent to, is counted',
    {},
    [OPEN, UNCOUNTED],
    '01',
  ],
  ['sending', 'while it is counted whether anybody is to wait', {}, [OVER, UNCOUNTED], '0'],
  ['sending', 'while one platform waits and the other is counted', {}, [OPEN, UNCOUNTED], '1'],
  ['sending', 'between two waves', { wavesToCome: 3 }, [OVER], ''],
  ['finished', 'when nothing is open', {}, [OVER], '0'],
  ['finished', 'without anybody', {}, [], ''],
  ['cancelled', 'before its moment', { releasedAt: null, cancelledAt: 3000 }, [], ''],
  ['cancelled', 'while the last answers come in', { cancelledAt: 3000 }, [OPEN], '1'],
]

describe('the state of a push', () => {
  test.each(CASES)('is %s %s', (state, _, push, reach, paused) => {
    const pauseOf = (platform: number) => (paused.includes(String(platform)) ? `reason ${platform}` : null)
    expect(pushStateOf({ ...PUSH, ...push }, reach, pauseOf).state).toBe(state)
  })

  test('says why it waits, once for each reason', () => {
    expect(pushStateOf(PUSH, [OPEN, OPEN_TOO], (platform) => `reason ${platform}`).reason).toBe('reason 1; reason 0')
    expect(pushStateOf(PUSH, [OPEN, OPEN_TOO], () => 'the same').reason).toBe('the same')
    expect(pushStateOf(PUSH, [OPEN], () => null).reason).toBeNull()
    expect(pushStateOf(PUSH, [OPEN, UNCOUNTED], (platform) => `reason ${platform}`).reason).toBe('reason 1')
  })
})

describe('the times of a push', () => {
  test('it is over with the last of its platforms, and began with the first', () => {
    const reach = [OVER, reachOf(1, { startedAt: 900, finishedAt: 2500 })]
    expect([startedAtOf(reach), finishedAtOf(PUSH, reach)]).toEqual([900, 2500])
  })

  test('it is not over while anything is left of it', () => {
    expect(finishedAtOf(PUSH, [OVER, OPEN])).toBeNull()
    expect(finishedAtOf({ ...PUSH, wavesToCome: 1 }, [OVER])).toBeNull()
    expect(finishedAtOf({ ...PUSH, releasedAt: null }, [])).toBeNull()
    expect(finishedAtOf({ ...PUSH, cancelledAt: 3000 }, [OPEN])).toBeNull()
  })

  test('one that was called off before it began is over then', () => {
    expect(finishedAtOf({ ...PUSH, releasedAt: null, cancelledAt: 3000 }, [])).toBe(3000)
    expect(startedAtOf([])).toBeNull()
  })
})

describe('the rate', () => {
  test.each([
    ['before the first', 0, null, null, 0],
    ['while it runs, until now', 500, 1000, null, 250],
    ['over, until its end', 500, 1000, 1500, 1000],
    ['over in no time, as if in a millisecond', 5, 1000, 1000, 5000],
    ['in hundredths', 1, 1000, 4000, 0.33],
  ] as const)('%s', (_, accepted, startedAt, finishedAt, rate) => {
    expect(rateOf(accepted, startedAt, finishedAt, 3000)).toBe(rate)
  })
})
