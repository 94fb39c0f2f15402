import { describe, expect, test } from 'bun:test'
import {
  hasNext,
  isLate,
  LEASE_MS,
  newBatch,
  noteAnswer,
  putBack,
  reached,
  retriesIn,
  settleBatch,
  showBadges,
  STRAGGLER_MS,
  stragglerOf,
  takeNext,
} from '../../../src/delivery/open/batch.ts'
import type { SendBatch } from '../../../src/delivery/open/batch.ts'
import type { Range } from '../../../src/delivery/open/progress.ts'
import type { FinalVerdict } from '../../../src/delivery/verdict.ts'
import { recipientIn, recipientOf } from '../../support/made-up-delivery.ts'
import { ACCEPTED } from '../../support/outbox.ts'

const NOW = 5000
const RETRY: FinalVerdict = { kind: 'retry', dueAt: NOW + 60_000, reason: 'TooManyRequests' }

/** Devices 11, 12, … */
const devicesOf = (count: number) => Array.from({ length: count }, (_, n) => recipientOf(11 + n))

/** A page of the audience, which reaches from device 10 to device 99. */
const pageOf = (count: number): SendBatch =>
  newBatch({ range: [10, 99], recipients: devicesOf(count), readAt: NOW, attempts: null })

/** Some who waited, sent to so often before. */
const dueOf = (...attempts: number[]): SendBatch =>
  newBatch({ range: null, recipients: devicesOf(attempts.length), readAt: NOW, attempts })

function send(batch: SendBatch, count: number): SendBatch {
  for (let n = 0; n < count; n++) takeNext(batch, NOW)
  return batch
}

const answer = (batch: SendBatch, index: number, verdict: FinalVerdict = ACCEPTED) =>
  noteAnswer({ batch, index, attempt: 1 }, verdict, NOW)

/** Its rows, in a few words. */
const rowsOf = ({ results }: SendBatch) =>
  results.map(({ device, state, attempt, dueAt, reason }) => [device, state, attempt, dueAt - NOW, reason] as const)

describe('a batch', () => {
  test('has those sent to again who are put back, after those who were never sent to', () => {
    const batch = send(pageOf(4), 3)
    putBack(batch, 2, null)
    putBack(batch, 0, null)
    expect([takeNext(batch, NOW), takeNext(batch, NOW), takeNext(batch, NOW)]).toEqual([3, 2, 0])
    expect([hasNext(batch), reached(batch)]).toEqual([false, 4])
  })

  test('counts who is reached: on the way, accepted, or answered otherwise', () => {
    const batch = send(pageOf(4), 3)
    answer(batch, 0)
    answer(batch, 1, RETRY)
    expect([reached(batch), batch.pending, batch.accepted, retriesIn(batch)]).toEqual([3, 1, 1, 1])
  })

  test('notes with which credential each was accepted, and of those who waited that their rows are over', () => {
    const batch = send(dueOf(1, 1, 1), 3)
    answer(batch, 0, { kind: 'accepted', credential: 7 })
    answer(batch, 1, { kind: 'accepted', credential: null })
    answer(batch, 2, { kind: 'accepted', credential: 7 })
    expect([[...batch.acceptedWith], batch.dropped]).toEqual([[[7, [11, 13]]], [11, 12, 13]])
    const page = send(pageOf(1), 1)
    answer(page, 0)
    expect(page.dropped).toEqual([])
  })

  test('counts by language who is accepted', () => {
    const recipients = ['de', 'fr', 'de', null].map((language, n) => recipientIn(language, 11 + n))
    const batch = send(newBatch({ range: null, recipients, readAt: NOW, attempts: null }), 4)
    for (let n = 0; n < 4; n++) answer(batch, n)
    expect([...batch.acceptedIn]).toEqual([
      ['de', 2],
      ['fr', 1],
    ])
  })

  test('shows the badges that are changed, and leaves those of devices that have left', () => {
    const batch = pageOf(2)
    showBadges(batch, new Map([[12, 4]]), 9)
    expect([batch.recipients.map(({ badge }) => badge), batch.badgeChanges]).toEqual([[null, 4], 9])
  })

  test('knows nobody beyond its recipients', () => {
    expect(() => answer(pageOf(1), 1)).toThrow('a batch of 1 has no place 1')
  })
})

describe('a batch is late', () => {
  const AT = NOW + STRAGGLER_MS
  const withOnePutBack = () => {
    const batch = send(pageOf(2), 2)
    putBack(batch, 0, null)
    return batch
  }

  test.each([
    ['sent to, two seconds after its last send', send(pageOf(2), 2), [true, true]],
    ['not sent to as a whole', send(pageOf(2), 1), [false, false]],
    ['of whom one is put back: in a pause nobody is waited for', withOnePutBack(), [false, true]],
    ['who waited, and are not sent to: in a pause their leases are given back', dueOf(1, 1), [false, true]],
  ])('%s', (_, batch, [sending, paused]) => {
    expect([isLate(batch, AT, false), isLate(batch, AT, true)]).toEqual([sending ?? false, paused ?? false])
    expect([isLate(batch, AT - 1, false), isLate(batch, AT - 1, true)]).toEqual([false, false])
  })

  test('by its last send, and by its reading where there was none', () => {
    const batch = pageOf(2)
    takeNext(batch, NOW)
    takeNext(batch, NOW + 1000)
    expect([isLate(batch, AT, false), isLate(batch, AT + 1000, false)]).toEqual([false, true])
  })
})

describe('what is settled of a page', () => {
  test.each<[string, SendBatch, readonly Range[]]>([
    ['is its whole range, where it was sent as a whole', send(pageOf(3), 3), [[10, 99]]],
    ['reaches to the last who was sent to, where it is cut short', send(pageOf(3), 2), [[10, 12]]],
    ['is nothing, where nobody was', pageOf(3), []],
  ])('%s', (_, batch, settled) => {
    expect(settleBatch(batch, NOW, false).settled).toEqual(settled)
    expect(batch.isSettled).toBe(true)
  })

  test('are its devices alone, where they lie anywhere; and none, where they had waited', () => {
    const sample = newBatch({ range: null, recipients: devicesOf(3), readAt: NOW, attempts: null })
    expect(settleBatch(send(sample, 2), NOW, false).settled).toEqual([
      [11, 11],
      [12, 12],
    ])
    expect(settleBatch(send(dueOf(1, 1), 2), NOW, false).settled).toEqual([])
  })
})

describe('a batch that is settled without all its answers', () => {
  test('says of a page who is leased, who is due again, and of those not sent to nothing', () => {
    const batch = send(pageOf(5), 4)
    answer(batch, 0)
    answer(batch, 1, RETRY)
    putBack(batch, 2, null)
    expect(settleBatch(batch, NOW, false).stragglers).toBe(1)
    expect(rowsOf(batch)).toEqual([
      [12, 'retry', 1, 60_000, 'TooManyRequests'],
      [13, 'retry', 0, 0, 'stopped'],
      [14, 'leased', 1, LEASE_MS, 'no answer yet'],
    ])
    expect([batch.again, retriesIn(batch)]).toEqual([[], 2])
  })

  test('says of those who waited, whose rows say that they are leased, who is due again', () => {
    const batch = send(dueOf(3, 4, 5, 6), 3)
    answer(batch, 0)
    putBack(batch, 1, null)
    expect(settleBatch(batch, NOW, false).stragglers).toBe(1)
    expect(rowsOf(batch)).toEqual([
      [12, 'retry', 4, 0, 'stopped'],
      [14, 'retry', 6, 0, 'stopped'],
    ])
  })

  test('makes nobody due of a delivery that is aborted', () => {
    const batch = send(dueOf(3, 4, 5), 2)
    putBack(batch, 0, null)
    expect(settleBatch(batch, NOW, true).stragglers).toBe(1)
    expect(rowsOf(batch)).toEqual([])
  })
})

describe('a straggler', () => {
  test('is a batch of one that is on its way, and counts its sends from those before', () => {
    const batch = send(dueOf(3, 4), 2)
    batch.badgeChanges = 6
    settleBatch(batch, NOW, false)
    const one = stragglerOf(batch, 1)
    expect(one).toMatchObject({ range: null, attempts: [4], badgeChanges: 6, sent: 1, pending: 1, readAt: NOW })
    expect(one.recipients.map(({ device }) => device)).toEqual([12])
    noteAnswer({ batch: one, index: 0, attempt: 5 }, RETRY, NOW)
    expect(settleBatch(one, NOW, false)).toEqual({ stragglers: 0, settled: [] })
    expect(rowsOf(one)).toEqual([[12, 'retry', 5, 60_000, 'TooManyRequests']])
  })

  test('of a page had waited for nothing before, and has a row by then', () => {
    const batch = send(pageOf(2), 2)
    settleBatch(batch, NOW, false)
    const one = stragglerOf(batch, 0)
    expect(one.attempts).toEqual([0])
    answer(one, 0)
    expect([one.accepted, one.dropped]).toEqual([1, [11]])
  })
})
