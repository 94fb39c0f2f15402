import { describe, expect, test } from 'bun:test'
import type { Delivery, Task } from '../../../src/delivery/open/delivery.ts'
import type { DeliveryEvent, Effect } from '../../../src/delivery/open/delivery-events.ts'
import type { Phase } from '../../../src/delivery/open/state.ts'
import type { OpenDelivery, Settlement } from '../../../src/delivery/store/open-delivery.ts'
import type { FinalVerdict } from '../../../src/delivery/verdict.ts'
import type { Outcome } from '../../../src/gateway/gateway.ts'
import { audienceOf, deliveryOf, dueOf, recordOf } from '../../support/made-up-delivery.ts'
import { ACCEPTED } from '../../support/outbox.ts'
import { runAtRandom } from './random/random-delivery.ts'
import type { Ran } from './random/random-delivery.ts'

const NOW = 1000
const LATER = NOW + 60_000

const LATE: FinalVerdict = { kind: 'retry', dueAt: LATER, reason: 'TooManyRequests' }
const PUT_OFF: Outcome = { kind: 'deferred', afterMs: null, scope: 'device', reason: 'TooManyRequests' }
const REFUSED: Outcome = { kind: 'rejected', blame: 'push', reason: 'PayloadTooLarge' }
const FAILED = { kind: 'failed', state: 'rejected', reason: 'PayloadTooLarge', device: 'keep', since: null } as const

/** `null`: accepted. */
function answered(
  task: Task,
  verdict: FinalVerdict = ACCEPTED,
  outcome: Outcome = { kind: 'accepted' },
): DeliveryEvent {
  return { kind: 'answered', task, verdict, finding: null, outcome }
}

function taken(delivery: Delivery, now = NOW): Task {
  const task = delivery.take(now, null)
  if (task === null) throw new Error('nobody is to be sent to')
  delivery.sent()
  return task
}

function writtenIn(delivery: Delivery): Settlement {
  const [effect] = delivery.takeEffects()
  if (effect?.kind !== 'write') throw new Error('nothing is to be written')
  return effect.settlement
}

const BADGES: DeliveryEvent = {
  kind: 'badges leased',
  // A device that was read and settled.
  batch: taken(deliveryOf(recordOf({ ceiling: 1 }), audienceOf([1]))).batch,
  badges: new Map([[1, 5]]),
  badgeChanges: 1,
}

function told(effect: Effect): string {
  switch (effect.kind) {
    case 'write': {
      const { addressed, accepted, results, finished } = effect.settlement
      const rows = results.map(({ device, state, attempt, reason }) => `${device} ${state} ${attempt} ${reason}`)
      return [
        'write',
        ...(addressed === null ? [] : [`${addressed} more`]),
        ...(accepted === 0 ? [] : [`${accepted} accepted`]),
        ...rows,
        ...(finished ? ['the end'] : []),
      ].join(', ')
    }
    case 'lease due':
      return `lease due, ${effect.limit}`
    case 'expired':
      return `expired, ${effect.unreached}`
    case 'refused':
      return `refused, ${effect.reason}`
    case 'lease badges':
    case 'wait':
      return effect.kind
  }
}

interface Begun {
  readonly delivery: Delivery
  readonly task: Task | null
  readonly settlement: Settlement
}

/** Three devices, the first of them sent to, and device 9, which waits for a retry. */
function open(): Begun {
  const record = recordOf({ ceiling: 3, addressed: 4, settled: 1, retries: 1 })
  const delivery = deliveryOf(record, audienceOf([1, 2, 3]), LATER)
  const task = taken(delivery)
  delivery.on({ kind: 'counted', count: 4 }, NOW)
  return { delivery, task, settlement: writtenIn(delivery) }
}

function aborted(): Begun {
  const begun = open()
  begun.delivery.on({ kind: 'aborted', reason: 'cancelled', refused: null }, NOW)
  return begun
}

/** One device that waits for a retry. */
function parked(): Begun {
  const delivery = deliveryOf(recordOf({ ceiling: 1, addressed: 1 }), audienceOf([1]))
  delivery.on(answered(taken(delivery), LATE, PUT_OFF), NOW)
  const settlement = writtenIn(delivery)
  delivery.on({ kind: 'written', settlement }, NOW)
  expect(delivery.takeEffects()).toEqual([{ kind: 'wait' }])
  return { delivery, task: null, settlement }
}

function over(): Begun {
  const delivery = deliveryOf(recordOf({ ceiling: 1 }), audienceOf([1]))
  delivery.on(answered(taken(delivery)), NOW)
  return { delivery, task: null, settlement: writtenIn(delivery) }
}

const BEGIN: Readonly<Record<Phase, () => Begun>> = { open, aborted, waiting: parked, over }

/** The phase, the effects, and the device taken next. */
type Expected = readonly [phase: Phase, effects: readonly string[], taken: number | null]

/** By phase. Devices left out cannot come to it: they are neither in flight nor leased. */
type Row = readonly [
  name: string,
  event: DeliveryEvent | ((task: Task, settlement: Settlement) => DeliveryEvent),
  expected: Readonly<Partial<Record<Phase, Expected>>>,
]

const DUE = dueOf(9, 1)

const still = {
  open: ['open', [], 2],
  aborted: ['aborted', [], null],
  waiting: ['waiting', [], null],
  over: ['over', [], null],
} as const satisfies Record<Phase, Expected>

const EXPIRED = recordOf().expiresAt

const TABLE: readonly Row[] = [
  [
    'two more are counted',
    { kind: 'counted', count: 6 },
    {
      open: ['open', ['write, 2 more'], 2],
      aborted: ['aborted', ['write, 2 more'], null],
      waiting: ['waiting', ['write, 5 more'], null],
      over: still.over,
    },
  ],
  [
    'the count finds as many as are known',
    { kind: 'counted', count: 1 },
    {
      open: ['open', ['write, 0 more'], 2],
      aborted: ['aborted', ['write, 0 more'], null],
      waiting: ['waiting', ['write, 0 more'], null],
      over: still.over,
    },
  ],
  [
    'one is accepted',
    (task) => answered(task),
    { open: still.open, aborted: ['over', ['write, 1 accepted, the end'], null] },
  ],
  [
    'one is to be tried again',
    (task) => answered(task, LATE, PUT_OFF),
    { open: still.open, aborted: ['over', ['write, 1 expired 1 cancelled, the end'], null] },
  ],
  [
    'one is put back',
    (task) => ({ kind: 'put back', task, wasSent: true, reason: null }),
    { open: still.open, aborted: ['over', ['write, 1 expired 0 cancelled, the end'], null] },
  ],
  [
    'one who waits is leased',
    { kind: 'due leased', due: [DUE], next: null },
    { open: ['open', [], 9], aborted: still.aborted },
  ],
  [
    'nobody is found to lease',
    { kind: 'due leased', due: [], next: null },
    { open: still.open, aborted: still.aborted },
  ],
  ['badges are changed of a page that is no more', BADGES, still],
  ['a settlement is on disk', (_, settlement) => ({ kind: 'written', settlement }), still],
  ['whoever waits is made due', { kind: 'made due' }, still],
  ['rows of whoever waits are made due', { kind: 'rows made due' }, still],
  ['time passes', { kind: 'tick', isPaused: false }, still],
  ['time passes in a pause', { kind: 'tick', isPaused: true }, still],
  [
    'it is cancelled',
    { kind: 'aborted', reason: 'cancelled', refused: null },
    { ...still, open: ['aborted', [], null], waiting: ['over', ['write, the end'], null] },
  ],
  [
    'it is refused',
    { kind: 'aborted', reason: 'refused', refused: 'PayloadTooLarge' },
    { ...still, open: ['aborted', [], null], waiting: ['over', ['write, the end'], null] },
  ],
  [
    'the process stops',
    { kind: 'stopped' },
    {
      open: ['open', ['write, 1 leased 1 no answer yet'], null],
      aborted: ['aborted', ['write, 1 leased 1 no answer yet'], null],
      waiting: still.waiting,
      over: still.over,
    },
  ],
]

const CELLS = TABLE.flatMap(([name, event, row]) =>
  Object.entries(row).map(([phase, expected]) => ({ name, event, phase: phase as Phase, expected })),
)

describe('a delivery, to which happens what can happen to it', () => {
  test.each(CELLS)('$phase: $name', ({ event, phase, expected }) => {
    const { delivery, task, settlement } = BEGIN[phase]()
    expect([delivery.phase, delivery.takeEffects()]).toEqual([phase, []])
    if (typeof event !== 'function') delivery.on(event, NOW)
    else delivery.on(event(task as Task, settlement), NOW)
    const effects = delivery.takeEffects().map(told)
    const taken = delivery.take(NOW, null)?.recipient.device ?? null
    expect<Expected>([delivery.phase, effects, taken]).toEqual(expected)
    expect(delivery.takeEffects()).toEqual([])
  })

  test.each([
    ['open', 'aborted', ['expired, 3']],
    ['aborted', 'aborted', []],
    ['waiting', 'waiting', []],
    ['over', 'over', []],
  ] as const)('%s: its time to live is over', (from, phase, effects) => {
    const { delivery } = BEGIN[from]()
    delivery.on({ kind: 'tick', isPaused: false }, EXPIRED)
    expect([delivery.phase, delivery.takeEffects().map(told), delivery.take(EXPIRED, null)]).toEqual([
      phase,
      [...effects],
      null,
    ])
  })
})

const many = (count: number) => Array.from({ length: count }, (_, n) => n + 1)

const begin = (count: number, record: Parameters<typeof recordOf>[0] = {}) =>
  deliveryOf(recordOf({ ceiling: count, addressed: count, ...record }), audienceOf(many(count)))

/** Takes every device it can. The first is accepted, which opens the window. */
function takeAll(delivery: Delivery): Task[] {
  delivery.on(answered(taken(delivery)), NOW)
  const tasks: Task[] = []
  for (let task = delivery.take(NOW, null); task !== null; task = delivery.take(NOW, null)) tasks.push(task)
  return tasks
}

describe('a delivery ends', () => {
  test('with the settlement of its last page, and says so in it alone', () => {
    const delivery = begin(600)
    for (const task of takeAll(delivery)) delivery.on(answered(task), NOW)
    const settlements = delivery.takeEffects().map((effect) => (effect.kind === 'write' ? effect.settlement : null))
    expect(settlements.map((each) => [each?.size, each?.accepted, each?.progress, each?.finished])).toEqual([
      [64, 64, 64, false],
      [500, 500, 564, false],
      [36, 36, 600, true],
    ])
    expect(delivery.phase).toBe('over')
  })

  test('where it is counted that nobody is in the audience, and is never read', () => {
    const delivery = deliveryOf(recordOf({ ceiling: 3 }), audienceOf([1, 2, 3]))
    delivery.on({ kind: 'counted', count: 0 }, NOW)
    expect([delivery.phase, delivery.takeEffects().map(told)]).toEqual(['over', ['write, 0 more, the end']])
  })

  test('in a pause, where nobody is left behind the last page', () => {
    const audience = audienceOf([1])
    const delivery = deliveryOf(recordOf({ ceiling: 9, progress: 1, addressed: 1, settled: 1, accepted: 1 }), audience)
    delivery.on({ kind: 'counted', count: 1 }, NOW)
    expect(delivery.takeEffects().map(told)).toEqual(['write, 0 more'])
    delivery.on({ kind: 'tick', isPaused: false }, NOW)
    expect(delivery.phase).toBe('open')
    delivery.on({ kind: 'tick', isPaused: true }, NOW)
    expect([delivery.phase, delivery.takeEffects().map(told)]).toEqual(['over', ['write, the end']])
  })

  test('not before a lease of those who wait is answered', () => {
    const delivery = begin(0, { addressed: 1, settled: 1, retries: 1 })
    delivery.on({ kind: 'rows made due' }, NOW)
    delivery.on({ kind: 'tick', isPaused: false }, NOW)
    expect(delivery.takeEffects().map(told)).toEqual(['lease due, 500'])
    delivery.on({ kind: 'aborted', reason: 'cancelled', refused: null }, NOW)
    expect([delivery.phase, delivery.takeEffects()]).toEqual(['aborted', []])
    delivery.on({ kind: 'due leased', due: [DUE], next: null }, NOW)
    delivery.on({ kind: 'tick', isPaused: false }, NOW)
    expect([delivery.phase, delivery.takeEffects().map(told)]).toEqual(['over', ['write, the end']])
  })

  test.each([
    ['how many were read and not sent to', 64, 63],
    ['that it is not known how many were not sent to, where not everybody was read', 65, null],
  ])('early, and says %s', (_, count, unsent) => {
    const delivery = begin(count)
    const task = taken(delivery)
    delivery.on({ kind: 'aborted', reason: 'cancelled', refused: null }, NOW)
    delivery.on(answered(task), NOW)
    expect(delivery.endWith(true)).toEqual({ abortReason: 'cancelled', refused: null, unsent })
    expect([delivery.phase, delivery.takeEffects().map(told)]).toEqual(['over', ['write, 1 accepted, the end']])
  })

  test.each([
    [1, 'the only device was refused as BadDeviceToken: wrong environment, topic or project?'],
    [2, 'all 2 devices were refused as BadDeviceToken: wrong environment, topic or project?'],
  ])('refused, where the tokens of all %d were and the credential is not known to be good', (count, refused) => {
    const delivery = begin(count)
    const bad: Outcome = { kind: 'rejected', blame: 'token', reason: 'BadDeviceToken' }
    const verdict = { ...FAILED, reason: 'BadDeviceToken', device: 'quarantine' } as const
    for (let n = 0; n < count; n++) delivery.on(answered(taken(delivery), verdict, bad), NOW)
    expect(delivery.phase).toBe('over')
    expect(delivery.endWith(false)).toEqual({ abortReason: null, refused, unsent: 0 })
    expect(delivery.endWith(true).refused).toBe(null)
  })
})

describe('an audience', () => {
  test.each([
    ['again after a crash before the count was stored: no more is known than who was settled', { addressed: 2 }, false],
    ['once, where more are stored than were settled', { addressed: 3 }, true],
    ['once, where everybody was settled', { addressed: 2, progress: 9 }, true],
    ['once, where everybody who was left waited', { addressed: 2, waitsUntil: LATER }, true],
    ['where nothing is stored of it', { addressed: null, settled: 0 }, false],
  ])('is counted %s', (_, stored: Partial<OpenDelivery>, isCounted) => {
    const delivery = begin(9, { progress: 2, settled: 2, ...stored })
    expect(delivery.uncounted === null).toBe(isCounted)
    delivery.on({ kind: 'counted', count: 9 }, NOW)
    expect([delivery.uncounted, delivery.summary(NOW).recipients]).toEqual([null, 9 - (stored.settled ?? 2)])
  })

  test('is counted before its time to live ends it, so that all who are left have failed', () => {
    const delivery = begin(9, { progress: 2, settled: 2, addressed: 2 })
    delivery.on({ kind: 'tick', isPaused: true }, EXPIRED)
    expect([delivery.phase, delivery.takeEffects()]).toEqual(['open', []])
    delivery.on({ kind: 'counted', count: 9 }, EXPIRED)
    delivery.on({ kind: 'tick', isPaused: true }, EXPIRED)
    expect([delivery.phase, delivery.takeEffects().map(told)]).toEqual([
      'over',
      ['write, 7 more', 'expired, 7', 'write, the end'],
    ])
  })
})

describe('a push that a gateway refuses', () => {
  test('is sent to 100 and to nobody else, until one of them is answered otherwise', () => {
    const delivery = begin(300)
    const tasks = many(100).map(() => taken(delivery))
    expect([delivery.take(NOW, null), delivery.phase, delivery.waitsFor]).toEqual([null, 'open', null])
    delivery.on(answered(tasks[0] as Task), NOW)
    expect(taken(delivery).recipient.device).toBe(101)
  })

  test('ends with the hundredth refusal, once it is known how many it addresses', () => {
    const delivery = deliveryOf(recordOf({ ceiling: 300 }), audienceOf(many(300)))
    for (let n = 0; n < 100; n++) {
      expect(delivery.phase).toBe('open')
      delivery.on(answered(taken(delivery), FAILED, REFUSED), NOW)
    }
    const effects = delivery.takeEffects()
    expect(effects.map(({ kind }) => kind)).toEqual(['write', 'refused', 'write'])
    expect([delivery.phase, delivery.endWith(true)]).toEqual([
      'aborted',
      { abortReason: 'refused', refused: 'PayloadTooLarge', unsent: 200 },
    ])
    delivery.on({ kind: 'counted', count: 300 }, NOW)
    expect([delivery.phase, delivery.takeEffects().map(told)]).toEqual(['over', ['write, 200 more, the end']])
  })
})

describe('recipients that are not on disk', () => {
  test('are 16 pages at the most, and one less where nobody waits: the place is for those who are due', () => {
    const delivery = begin(20_000)
    const tasks = takeAll(delivery)
    const most = 64 + 14 * 500
    expect([tasks.length + 1, delivery.summary(NOW).notWrittenDown]).toEqual([most, most])
    for (const task of tasks) delivery.on(answered(task), NOW)
    expect([delivery.take(NOW, null), delivery.summary(NOW).notWrittenDown]).toEqual([null, most])
    const [first] = delivery.takeEffects()
    if (first?.kind !== 'write') throw new Error('nothing is to be written')
    delivery.on({ kind: 'written', settlement: first.settlement }, NOW)
    expect(taken(delivery).recipient.device).toBe(most + 1)
  })

  test('leave room for a page of those who are due', () => {
    const delivery = begin(20_000, { addressed: 20_001, settled: 1, retries: 1 })
    const sent = takeAll(delivery).length + 1
    delivery.on({ kind: 'rows made due' }, NOW)
    delivery.on({ kind: 'tick', isPaused: false }, NOW)
    delivery.on({ kind: 'tick', isPaused: false }, NOW)
    expect(delivery.takeEffects().map(told)).toEqual(['lease due, 500'])
    const due = many(500).map((n) => dueOf(30_000 + n, 1))
    delivery.on({ kind: 'due leased', due, next: NOW }, NOW)
    expect(taken(delivery).recipient.device).toBe(30_001)
    delivery.on({ kind: 'tick', isPaused: false }, NOW)
    expect(delivery.takeEffects().map(told)).toEqual([`lease due, ${16 * 500 - sent - 500}`])
  })

  test('wait no longer, once they are made due, than to that moment', () => {
    const delivery = begin(65)
    const tasks = takeAll(delivery)
    const late = (at: number) => delivery.on(answered(tasks[at] as Task, LATE, PUT_OFF), NOW)
    for (let at = 0; at < 63; at++) late(at)
    const settlement = writtenIn(delivery)
    expect(settlement.results.map(({ dueAt }) => dueAt)).toEqual(many(63).map(() => LATER))
    delivery.on({ kind: 'made due' }, NOW)
    expect(settlement.results.map(({ dueAt }) => dueAt)).toEqual(many(63).map(() => NOW))
    delivery.on({ kind: 'written', settlement }, NOW)
    delivery.on({ kind: 'tick', isPaused: false }, NOW)
    expect(delivery.takeEffects().map(told)).toEqual(['lease due, 500'])
  })
})

describe('an answer that is late', () => {
  test('comes for a recipient who is written down as leased by then, and is settled alone', () => {
    const delivery = begin(3)
    const [second, third] = takeAll(delivery)
    if (second === undefined || third === undefined) throw new Error('nobody is to be sent to')
    delivery.on(answered(third), NOW)
    delivery.on({ kind: 'tick', isPaused: false }, NOW + 1999)
    expect(delivery.takeEffects()).toEqual([])
    delivery.on({ kind: 'tick', isPaused: false }, NOW + 2000)
    expect(delivery.takeEffects().map(told)).toEqual(['write, 2 accepted, 2 leased 1 no answer yet'])
    expect([delivery.phase, delivery.summary(NOW).notWrittenDown, delivery.summary(NOW).retries]).toEqual([
      'open',
      3,
      1,
    ])
    delivery.on(answered(second), NOW + 3000)
    const settlement = writtenIn(delivery)
    expect(settlement).toMatchObject({ size: 0, accepted: 1, dropped: [2], results: [], finished: true })
  })

  test('sends them again where it says nothing of them', () => {
    const delivery = begin(2)
    const [second] = takeAll(delivery)
    if (second === undefined) throw new Error('nobody is to be sent to')
    delivery.on({ kind: 'tick', isPaused: false }, NOW + 2000)
    delivery.on({ kind: 'put back', task: second, wasSent: true, reason: null }, NOW + 3000)
    const again = taken(delivery, NOW + 3000)
    expect([again.recipient.device, again.attempt]).toEqual([2, 1])
    delivery.takeEffects()
    delivery.on(answered(again, LATE, PUT_OFF), NOW + 3000)
    expect(delivery.takeEffects().map(told)).toEqual(['write, 2 retry 1 TooManyRequests'])
  })
})

describe('a push that changes badges', () => {
  const record = { notification: { msg: 'Hello', sound: null, badge: { add: 1 }, payload: null } } as const

  test('is sent once the change is on disk, and shows it', () => {
    const delivery = begin(2, record)
    expect([delivery.take(NOW, null), delivery.waitsFor]).toEqual([null, 'disk'])
    const [effect] = delivery.takeEffects()
    if (effect?.kind !== 'lease badges') throw new Error('no badge is to be changed')
    expect(effect.batch.recipients.map(({ device }) => device)).toEqual([1, 2])
    delivery.on({ kind: 'badges leased', batch: effect.batch, badges: new Map([[2, 7]]), badgeChanges: 4 }, NOW)
    const tasks = [taken(delivery), taken(delivery)]
    expect(tasks.map(({ recipient, batch }) => [recipient.badge, batch.badgeChanges])).toEqual([
      [null, 4],
      [7, 4],
    ])
  })

  test('has three pages changed ahead, and no more', () => {
    const delivery = begin(5000, record)
    delivery.take(NOW, null)
    delivery.take(NOW, null)
    expect(
      delivery.takeEffects().map((effect) => effect.kind === 'lease badges' && effect.batch.recipients.length),
    ).toEqual([64, 500, 500])
  })

  test('waits for the disk, and asks for no turn to search, while a page of a filtered audience is changed', () => {
    // Behind the first page, more reads than one turn allows find nobody.
    const silence = { page: (after: number) => ({ recipients: [], last: after + 1 }) }
    const population = audienceOf(many(64))
    const delivery = deliveryOf(recordOf({ ...record, ceiling: 10_000 }), {
      ...population,
      page: (after, _, limit) => (after < 64 ? population.page(after, 64, limit) : silence.page(after)),
    })
    expect([delivery.take(NOW, null), delivery.waitsFor]).toEqual([null, 'disk'])
    expect([delivery.take(NOW, 0.5), delivery.waitsFor]).toEqual([null, 'disk'])
  })

  test('has a page changed beside a sample, which would otherwise be alone on its way to the disk', () => {
    const delivery = begin(1000, record)
    delivery.take(NOW, 0.5)
    const leased = delivery.takeEffects().map((effect) => effect.kind === 'lease badges' && effect.batch.recipients)
    expect(leased.map((recipients) => recipients && recipients.length)).toEqual([1, 64])
  })

  test('is over where it is aborted meanwhile', () => {
    const delivery = begin(2, record)
    delivery.take(NOW, null)
    const [effect] = delivery.takeEffects()
    delivery.on({ kind: 'aborted', reason: 'cancelled', refused: null }, NOW)
    expect([delivery.phase, delivery.takeEffects().map(told)]).toEqual(['over', ['write, the end']])
    expect(delivery.endWith(true).unsent).toBe(2)
    if (effect?.kind !== 'lease badges') throw new Error('no badge is to be changed')
    delivery.on({ kind: 'badges leased', batch: effect.batch, badges: new Map(), badgeChanges: 1 }, NOW)
    expect([delivery.take(NOW, null), delivery.waitsFor, delivery.takeEffects()]).toEqual([null, null, []])
  })
})

describe('a sample', () => {
  test('is one device from anywhere behind the page, and is not sent to again with its page', () => {
    const delivery = begin(100)
    const sampled = delivery.take(NOW, 0.5)
    expect(sampled?.recipient.device).toBe(51)
    const tasks = takeAll(delivery)
    expect(tasks.map(({ recipient }) => recipient.device)).toEqual(many(100).filter((n) => n !== 1 && n !== 51))
    for (const task of [sampled, ...tasks]) if (task !== null) delivery.on(answered(task), NOW)
    expect(delivery.phase).toBe('over')
  })
})

describe('a delivery to which everything happens, in whatever order', () => {
  const SEEDS = 2000

  /** Some seconds on an idle machine. */
  const TIMEOUT_MS = 60_000

  /** Errors throw: see `RecipientBook`, `PaperDisk` and `runAtRandom`. */
  function ranWith(seed: number): Ran {
    try {
      return runAtRandom(seed)
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    }
  }

  test(
    'ends once, answers for each recipient once, and sends to nobody twice but after a crash',
    () => {
      const ran = Array.from({ length: SEEDS }, (_, n) => ranWith(n + 1))
      const sum = (of: (one: Ran) => number) => ran.reduce((total, one) => total + of(one), 0)
      expect(sum(({ loads, parked }) => loads - parked - 1)).toBeGreaterThan(SEEDS / 20)
      expect(sum(({ parked }) => parked)).toBeGreaterThan(SEEDS / 20)
      expect(sum(({ stragglers }) => stragglers)).toBeGreaterThan(SEEDS)
      expect(Math.max(...ran.map(({ mostUnwritten }) => mostUnwritten))).toBeWithin(7000, 8001)
      for (const reason of [null, 'cancelled', 'expired', 'refused']) {
        expect(ran.filter(({ abortReason }) => abortReason === reason).length).toBeGreaterThan(SEEDS / 200)
      }
    },
    TIMEOUT_MS,
  )
})
