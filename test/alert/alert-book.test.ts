import { beforeEach, describe, expect, test } from 'bun:test'
import { ConditionWatch, learned, newsIn } from '../../src/alert/alert-book.ts'
import type { Holding, Knowledge } from '../../src/alert/alert-book.ts'
import type { AlertKind, AlertCondition } from '../../src/alert/alert.ts'

const START = Date.UTC(2026, 10, 20, 12)
const DISK: AlertCondition = {
  kind: 'disk',
  isFailure: true,
  about: 'disk/',
  what: 'The data disk is nearly full.',
  next: 'bellhop doctor',
}

let watch: ConditionWatch
beforeEach(() => {
  watch = new ConditionWatch()
})

const at = (seconds: number) => ({ now: START + seconds * 1000, monotonic: seconds * 1000 })
/** Looks every 15 s from `from` to `to` (seconds); returns what the last look finds. */
function look(from: number, to: number, ...seen: readonly AlertCondition[]): readonly Holding[] {
  let holding: readonly Holding[] = []
  for (let second = from; second <= to; second += 15) holding = watch.look(seen, at(second))
  return holding
}

describe('a condition', () => {
  test('has begun when it was seen for a minute, and holds since it was seen first', () => {
    expect(look(0, 45, DISK)).toEqual([])
    expect(look(60, 60, DISK)).toEqual([{ ...DISK, since: START }])
  })

  test('that is not seen within that minute has not begun', () => {
    look(0, 45, DISK)
    expect(look(60, 60)).toEqual([])
    expect(look(75, 120, DISK)).toEqual([])
    expect(look(135, 135, DISK)).toMatchObject([{ since: START + 75_000 }])
  })

  test('that comes and goes within five minutes is one', () => {
    look(0, 60, DISK)
    for (let minute = 2; minute < 60; minute += 5) {
      expect(look(minute * 60, minute * 60, DISK)).toMatchObject([{ since: START }])
      expect(look(minute * 60 + 15, minute * 60 + 285)).toMatchObject([{ since: START }])
    }
  })

  test('has ended when it was not seen for five minutes', () => {
    look(0, 60, DISK)
    expect(look(75, 345)).toHaveLength(1)
    expect(look(360, 360)).toEqual([])
  })

  test('is not longer or shorter because the clock was set', () => {
    for (const second of [0, 15, 30, 45]) watch.look([DISK], at(second))
    expect(watch.look([DISK], { now: START - 86_400_000, monotonic: 60_000 })).toMatchObject([{ since: START }])
  })

  test('that held before a restart holds without another minute, and ends if it is not seen', () => {
    watch.resume(knowing({ since: START - 1000 }), at(0))
    expect(look(15, 15, DISK)).toMatchObject([{ since: START - 1000 }])
    watch = new ConditionWatch()
    watch.resume(knowing({}), at(0))
    expect(look(15, 285)).toHaveLength(1)
    expect(look(300, 300)).toEqual([])
  })
})

function knowing(over: Partial<Knowledge>): Knowledge {
  const { about, kind, what, next } = DISK
  return { alert: 1, about, kind, what, next, since: START, endedAt: null, told: false, ...over }
}

const HOLDING: Holding = { ...DISK, since: START }
const NOW = START + 3_600_000

function learnedBy(kinds: readonly AlertKind[], known: readonly Knowledge[], ...holding: readonly Holding[]) {
  return learned({ number: 1, kinds }, new Map(known.map((one) => [one.about, one])), holding, NOW)
}

describe('an alert', () => {
  test('learns what it asks for, and what makes the service not ready as that', () => {
    expect(learnedBy(['disk', 'not-ready'], [], HOLDING)).toEqual([knowing({})])
    expect(learnedBy(['not-ready'], [], HOLDING)).toEqual([knowing({ kind: 'not-ready' })])
    expect(learnedBy(['quota'], [], HOLDING)).toEqual([])
    expect(learnedBy(['not-ready'], [], { ...HOLDING, kind: 'quota', isFailure: false })).toEqual([])
  })

  test('learns nothing new while a condition lasts, apart from its newest words if it was not told', () => {
    expect(learnedBy(['disk'], [knowing({ told: true })], HOLDING)).toEqual([])
    const fuller = { ...HOLDING, what: 'The data disk is full.' }
    expect(learnedBy(['disk'], [knowing({ told: true })], fuller)).toEqual([])
    expect(learnedBy(['disk'], [knowing({})], fuller)).toEqual([knowing({ what: fuller.what })])
  })

  test('learns that it has ended, once', () => {
    expect(learnedBy(['disk'], [knowing({ told: true })])).toEqual([knowing({ told: true, endedAt: NOW })])
    expect(learnedBy(['disk'], [knowing({ told: true, endedAt: START })])).toEqual([])
  })

  test('does not hear of an end that is over before it could be told', () => {
    const [again] = learnedBy(['disk'], [knowing({ told: true, endedAt: START })], HOLDING)
    expect(again).toEqual(knowing({ told: true }))
    expect(newsIn(again === undefined ? [] : [again])).toEqual([])
  })
})

describe('news', () => {
  test('are one for each kind that has begun or ended, the earliest condition first', () => {
    const first = knowing({ about: 'credentials/1/0', kind: 'credential', since: START - 2 })
    const second = knowing({ about: 'credentials/2/0', kind: 'credential', since: START - 1 })
    const over = knowing({ told: true, endedAt: NOW })
    expect(newsIn([second, over, first, knowing({ about: 'x', told: true })])).toEqual([
      { kind: 'credential', state: 'begun', conditions: [first, second] },
      { kind: 'disk', state: 'ended', conditions: [over] },
    ])
  })

  test('tell a condition that nobody has heard of as one that has ended', () => {
    const missed = knowing({ endedAt: NOW })
    expect(newsIn([missed])).toEqual([{ kind: 'disk', state: 'ended', conditions: [missed] }])
  })
})
