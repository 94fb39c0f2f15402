import { beforeEach, describe, expect, test } from 'bun:test'
import { ServiceLanes } from '../../../src/delivery/credential/service-lanes.ts'
import type { Outcome } from '../../../src/gateway/gateway.ts'

const GOOGLE = 'https://fcm.googleapis.com'
const MOZILLA = 'https://updates.push.services.mozilla.com'
const ACCEPTED: Outcome = { kind: 'accepted' }
const HELD: Outcome = { kind: 'deferred', afterMs: 7000, scope: 'service', reason: 'HTTP 429' }
const STRAINED: Outcome = { kind: 'deferred', afterMs: null, scope: 'device', reason: 'HTTP 503', strain: true }

interface Recipient {
  readonly n: number
}

let now: number
let lines: [string, object | undefined][]
let lanes: ServiceLanes<Recipient>
let made: number

beforeEach(() => {
  now = 1_000_000
  lines = []
  made = 0
  lanes = new ServiceLanes<Recipient>({
    log: { info: (text, more) => lines.push([text, more]), warn: (text, more) => lines.push([text, more]) },
    name: { application: 1, platform: 2 },
    random: () => 0,
  })
})

const recipient = (): Recipient => ({ n: made++ })
const admit = (service: string) => lanes.admit(service, recipient(), now)

/** Sends to as many as there is room for; gives how many. */
function fill(service: string): number {
  for (let count = 0; ; count++) {
    if (admit(service).kind !== 'go') return count
    lanes.sent(service)
  }
}

/** Sends to one and answers it. */
function exchange(service: string, outcome: Outcome = ACCEPTED) {
  lanes.sent(service)
  return lanes.answered(service, outcome, 10, now)
}

describe('push services of one credential', () => {
  test('have a window each: one request alone until the first success, then more', () => {
    expect(fill(GOOGLE)).toBe(1)
    expect(lanes.aside).toBe(1)
    expect(fill(MOZILLA)).toBe(1)
    lanes.answered(GOOGLE, ACCEPTED, 10, now)
    // The window is open for four, and none is in flight.
    expect(fill(GOOGLE)).toBe(4)
    expect(fill(MOZILLA)).toBe(0)
  })

  test('have their recipients set aside where there is no room, in their order, until there is', () => {
    expect(fill(GOOGLE)).toBe(1)
    admit(GOOGLE)
    expect(lanes.next(now)).toBeNull()
    lanes.answered(GOOGLE, ACCEPTED, 10, now)
    expect([lanes.next(now), lanes.next(now), lanes.next(now)]).toEqual([{ n: 1 }, { n: 2 }, null])
    expect(lanes.aside).toBe(0)
  })

  test('are held alone where one asks for time, with all who wait for it', () => {
    fill(GOOGLE)
    const { outcome, turnedAway } = lanes.answered(GOOGLE, HELD, 10, now)
    expect(outcome).toEqual(HELD)
    expect(turnedAway).toEqual([{ task: { n: 1 }, dueAt: now + 7000 }])
    expect(admit(GOOGLE)).toEqual({ kind: 'later', dueAt: now + 7001, reason: 'HTTP 429' })
    expect(fill(MOZILLA)).toBe(1)
    expect(lanes.paused(now)).toEqual([{ service: GOOGLE, reason: 'HTTP 429' }])
    now += 7000
    expect(lanes.paused(now)).toEqual([])
    expect(fill(GOOGLE)).toBe(1)
    expect(lines).toEqual([
      [
        'sending to a push service paused',
        { application: 1, platform: 2, service: GOOGLE, reason: 'HTTP 429', waitMs: 7000 },
      ],
    ])
  })

  test('are told of in the log when they are paused, once, and when they take something again', () => {
    exchange(GOOGLE, HELD)
    now += 7000
    exchange(GOOGLE, HELD)
    now += 7000
    exchange(GOOGLE)
    expect(lines.map(([text]) => text)).toEqual(['sending to a push service paused', 'sending to a push service again'])
  })

  test('show strain each to its own window, and none to the credential', () => {
    for (let n = 0; n < 10; n++) exchange(GOOGLE)
    expect(fill(GOOGLE)).toBe(31)
    expect(lanes.answered(GOOGLE, STRAINED, 10, now).outcome).toEqual({
      kind: 'deferred',
      afterMs: null,
      scope: 'device',
      reason: 'HTTP 503',
    })
    for (let n = 0; n < 30; n++) lanes.withdrawn(GOOGLE)
    lanes.takeAside(() => true)
    expect(fill(GOOGLE)).toBe(21)
  })

  test('leave what else an answer says to the credential', () => {
    const refused: Outcome = { kind: 'misconfigured', reason: 'HTTP 403' }
    expect(exchange(GOOGLE, refused)).toEqual({ outcome: refused, turnedAway: [] })
    const gone: Outcome = { kind: 'unregistered', since: null, reason: 'HTTP 410' }
    expect(exchange(GOOGLE, gone)).toEqual({ outcome: gone, turnedAway: [] })
    // Who knows that a subscription is gone is well.
    expect(fill(GOOGLE)).toBe(4)
  })

  test('that take nothing have 256 set aside; the others come back later, one after the other', () => {
    for (let n = 0; n < 257; n++) expect(['go', 'aside']).toContain(sendTo(GOOGLE))
    expect(lanes.aside).toBe(256)
    expect(lanes.isFull(now)).toBe(false)
    const reason = 'the push service has no room'
    expect(admit(GOOGLE)).toEqual({ kind: 'later', dueAt: now + 5000, reason })
    expect(admit(GOOGLE)).toEqual({ kind: 'later', dueAt: now + 5001, reason })
    expect(admit(MOZILLA)).toEqual({ kind: 'go' })
  })

  test('that are well are waited for where more than 256 are set aside', () => {
    exchange(GOOGLE)
    for (let n = 0; n < 260; n++) expect(['go', 'aside']).toContain(sendTo(GOOGLE))
    expect(lanes.isFull(now)).toBe(false)
    expect(admit(GOOGLE)).toEqual({ kind: 'full' })
    expect(lanes.isFull(now)).toBe(true)
    now += 1000
    // It has taken nothing for a second.
    expect(lanes.isFull(now)).toBe(false)
    expect(admit(GOOGLE).kind).toBe('later')
  })

  test('have 1024 set aside in all', () => {
    const services = Array.from({ length: 5 }, (_, n) => `https://n${n}.push.apple.com`)
    for (const service of services) for (let n = 0; n < 257; n++) sendTo(service)
    expect(lanes.aside).toBe(1024)
  })

  test('that never took anything are sixteen at a time: strangers may name many', () => {
    const sent = Array.from({ length: 30 }, (_, n) => sendTo(`https://n${n}.notify.windows.com`))
    expect(sent.filter((kind) => kind === 'go')).toHaveLength(16)
    lanes.answered('https://n0.notify.windows.com', HELD, 10, now)
    expect(sendTo('https://n30.notify.windows.com')).toBe('go')
  })

  test('are a thousand at the most, and those with something under way are kept', () => {
    sendTo(GOOGLE)
    for (let n = 0; n < 1100; n++) lanes.admit(`https://n${n}.notify.windows.com`, recipient(), now)
    lanes.takeAside(() => true)
    expect(fill(GOOGLE)).toBe(0)
  })

  test('give up those set aside that are asked for', () => {
    fill(GOOGLE)
    admit(GOOGLE)
    expect(lanes.takeAside(({ n }) => n === 1)).toEqual([{ n: 1 }])
    expect(lanes.aside).toBe(1)
  })

  function sendTo(service: string): string {
    const { kind } = admit(service)
    if (kind === 'go') lanes.sent(service)
    return kind
  }
})
