import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { PendingBadges } from '../../src/delivery/pending-badges.ts'
import type { SentBadge } from '../../src/delivery/pending-badges.ts'
import type { BadgeChange } from '../../src/device/badge.ts'

const MORE = { add: 1 }
const DEVICE = 1

/** One device and its stored count, and the pushes that are sent to it. */
function newPhone(stored = 0) {
  let pushes = 0
  const phone = {
    stored,
    /** How often the stored count was read. */
    reads: 0,
    send: (change: BadgeChange, known: number | null = null, push = ++pushes) =>
      badges.send(push, DEVICE, change, known),
    refuse: (sent: SentBadge) => badges.refused(sent),
    /** `runs`: of the transaction. */
    settle(sent: SentBadge, runs = 1) {
      for (let run = 0; run < runs; run++) if (badges.settle(sent)) phone.stored = sent.badge
    },
    settled: (sent: SentBadge) => badges.settled(sent),
    take(sent: SentBadge) {
      phone.settle(sent)
      phone.settled(sent)
    },
    set(count: number) {
      phone.stored = count
      badges.set(DEVICE)
    },
  }
  const badges = new PendingBadges(() => {
    phone.reads++
    return phone.stored
  })
  return phone
}

describe('a relative badge', () => {
  test('counts from what is stored, which is read where it may have changed', () => {
    const phone = newPhone(4)
    phone.refuse(phone.send(MORE, 4))
    expect(phone.reads).toBe(0)
    expect(phone.send(MORE, null).badge).toBe(5)
    expect(phone.reads).toBe(1)
  })

  test('counts from what was sent last, which is not read', () => {
    const phone = newPhone(4)
    expect([phone.send(MORE).badge, phone.send(MORE).badge, phone.send({ set: 9 }).badge]).toEqual([5, 6, 9])
    expect(phone.send({ add: -2 }).badge).toBe(7)
    expect(phone.reads).toBe(1)
  })

  test('stays within its bounds', () => {
    const phone = newPhone(2)
    expect([-4, 2_147_483_646, 5].map((add) => phone.send({ add }).badge)).toEqual([0, 2_147_483_646, 2_147_483_647])
  })

  test('of another device is another', () => {
    const badges = new PendingBadges(() => 4)
    expect([1, 2, 1].map((device, push) => badges.send(push, device, MORE, null).badge)).toEqual([5, 5, 6])
  })

  test('does not count from what was refused', () => {
    const phone = newPhone(4)
    const [first, second] = [phone.send(MORE), phone.send(MORE)]
    phone.refuse(second)
    expect(phone.send(MORE).badge).toBe(6)
    phone.take(first)
    expect(phone.stored).toBe(5)
  })
})

describe('what is stored', () => {
  test('is what was sent last, whatever is answered last', () => {
    const phone = newPhone(4)
    const [first, second] = [phone.send(MORE), phone.send({ set: 2 })]
    phone.take(second)
    phone.take(first)
    expect(phone.stored).toBe(2)
  })

  test('is what a call has set, whatever was sent before it', () => {
    const phone = newPhone(4)
    const sent = phone.send(MORE)
    phone.set(0)
    expect(phone.send(MORE).badge).toBe(1)
    phone.take(sent)
    expect(phone.stored).toBe(0)
  })

  test('is not written where it is so already, and where nothing else was on its way', () => {
    const badges = new PendingBadges(() => 5)
    const first = badges.send(102, DEVICE, { set: 5 }, 5)
    expect(badges.settle(first)).toBe(false)
    const [second, third] = [badges.send(103, DEVICE, MORE, 5), badges.send(104, DEVICE, { set: 5 }, 5)]
    expect([badges.settle(second), badges.settle(third)]).toEqual([true, true])
    expect(badges.settle(badges.send(105, 2, { set: 5 }, null))).toBe(true)
  })

  test('is written again by a transaction that runs twice', () => {
    const phone = newPhone(4)
    phone.settle(phone.send(MORE), 2)
    expect(phone.stored).toBe(5)
  })
})

describe('a push that is to be sent again', () => {
  test('shows the same number, where another has counted from it', () => {
    const phone = newPhone(4)
    const push = -1
    const [first, second] = [phone.send(MORE, null, push), phone.send(MORE)]
    phone.refuse(first)
    phone.take(second)
    const again = phone.send(MORE, null, push)
    expect([second.badge, again.badge]).toEqual([6, 6])
    phone.take(again)
    expect(phone.stored).toBe(6)
  })

  test('counts, where the other was refused too, or a call came between', () => {
    for (const set of [false, true]) {
      const phone = newPhone(4)
      const push = -1
      const [first, second] = [phone.send(MORE, null, push), phone.send(MORE)]
      phone.refuse(first)
      if (set) {
        phone.take(second)
        phone.set(4)
      } else phone.refuse(second)
      expect(phone.send(MORE, null, push).badge).toBe(5)
    }
  })
})

/** What happens: `at` chooses among what it can happen to. */
type Step =
  | { readonly kind: 'send'; readonly change: BadgeChange; readonly fresh: boolean }
  | { readonly kind: 'accept' | 'refuse' | 'settle' | 'settled'; readonly at: number; readonly runs: number }
  | { readonly kind: 'set'; readonly count: number }

const change: fc.Arbitrary<BadgeChange> = fc.oneof(
  fc.integer({ min: -2, max: 3 }).map((add) => ({ add })),
  fc.integer({ min: 0, max: 9 }).map((set) => ({ set })),
)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('send' as const), change, fresh: fc.boolean() }),
  fc.record({ kind: fc.constant('send' as const), change: fc.constant(MORE), fresh: fc.boolean() }),
  fc.record({
    kind: fc.constantFrom('accept' as const, 'refuse' as const, 'settle' as const, 'settled' as const),
    at: fc.nat(20),
    runs: fc.integer({ min: 1, max: 2 }),
  }),
  fc.record({ kind: fc.constant('set' as const), count: fc.integer({ min: 0, max: 9 }) }),
)

describe('whatever is sent, set, answered and written in any order', () => {
  test('what is stored is what was sent last of all that was taken, or set after it', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 0, max: 5 }), (steps, before) => {
        const phone = newPhone(before)
        /** In the order in which the phone shows them; `null`: on its way. */
        const shows: { badge: number; taken: boolean | null }[] = [{ badge: before, taken: true }]
        const [onWay, taken, written] = [new Map<SentBadge, (typeof shows)[0]>(), [] as SentBadge[], [] as SentBadge[]]
        const pick = <T>(list: readonly T[], at: number) => list[at % Math.max(list.length, 1)]
        const run = (step: Step): void => {
          if (step.kind === 'send') {
            const sent = phone.send(step.change, step.fresh ? phone.stored : null)
            const show = { badge: sent.badge, taken: null }
            shows.push(show)
            onWay.set(sent, show)
          } else if (step.kind === 'set') {
            phone.set(step.count)
            shows.push({ badge: step.count, taken: true })
          } else if (step.kind === 'accept' || step.kind === 'refuse') {
            const [sent, show] = pick([...onWay], step.at) ?? []
            if (sent === undefined || show === undefined) return
            onWay.delete(sent)
            show.taken = step.kind === 'accept'
            if (show.taken) taken.push(sent)
            else phone.refuse(sent)
          } else if (step.kind === 'settle') {
            const sent = pick(taken, step.at)
            if (sent === undefined) return
            taken.splice(taken.indexOf(sent), 1)
            phone.settle(sent, step.runs)
            written.push(sent)
          } else {
            const sent = pick(written, step.at)
            if (sent === undefined) return
            written.splice(written.indexOf(sent), 1)
            phone.settled(sent)
          }
        }
        for (const each of steps) run(each)
        const rest = { at: 0, runs: 1 }
        for (let at = 0; onWay.size > 0; at++) run({ kind: at % 3 === 0 ? 'refuse' : 'accept', ...rest, at })
        while (taken.length > 0) run({ kind: 'settle', ...rest })
        while (written.length > 0) run({ kind: 'settled', ...rest })
        expect(phone.stored).toBe(shows.findLast((show) => show.taken === true)?.badge ?? -1)
        // Nothing is on its way any more: the next counts from what is stored.
        expect(phone.send(MORE).badge).toBe(phone.stored + 1)
      }),
      { numRuns: 2000 },
    )
  })

  test('every push counts once, how often it is refused and sent again', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('send', 'accept', 'refuse'), fc.nat(9))), (steps) => {
        const phone = newPhone()
        const onWay: { sent: SentBadge; push: number }[] = []
        const waiting: number[] = []
        let pushes = 0
        const send = (push: number) => void onWay.push({ sent: phone.send(MORE, null, push), push })
        const answer = (at: number, accepted: boolean): void => {
          const [one] = onWay.splice(at % Math.max(onWay.length, 1), 1)
          if (one === undefined) return
          if (accepted) phone.take(one.sent)
          else {
            phone.refuse(one.sent)
            waiting.push(one.push)
          }
        }
        for (const [kind, at] of steps) {
          if (kind !== 'send') answer(at, kind === 'accept')
          else if (at % 2 === 0 && waiting.length > 0) send(waiting.pop() ?? 0)
          else {
            pushes++
            send(pushes)
          }
        }
        while (onWay.length + waiting.length > 0) {
          while (waiting.length > 0) send(waiting.pop() ?? 0)
          answer(0, true)
        }
        expect(phone.stored).toBe(pushes)
      }),
      { numRuns: 1000 },
    )
  })
})
