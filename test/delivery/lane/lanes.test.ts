import { beforeEach, describe, expect, test } from 'bun:test'
import type { CredentialInUse } from '../../../src/delivery/credential.ts'
import { Lane } from '../../../src/delivery/lane/lane.ts'
import { createLanes } from '../../../src/delivery/lane/lanes.ts'
import type { Lanes } from '../../../src/delivery/lane/lanes.ts'
import { createNotices } from '../../../src/delivery/lane/notices.ts'
import type { Sending } from '../../../src/delivery/lane/silent-devices.ts'
import type { Task } from '../../../src/delivery/open/delivery.ts'
import type { Outcome, Provider } from '../../../src/gateway/gateway.ts'

const GOOGLE = 'https://fcm.googleapis.com'
const MOZILLA = 'https://updates.push.services.mozilla.com'
const ACCEPTED: Outcome = { kind: 'accepted' }
const HELD: Outcome = { kind: 'deferred', afterMs: 7000, scope: 'service', reason: 'HTTP 429' }
const STRAINED: Outcome = { kind: 'deferred', afterMs: null, scope: 'device', reason: 'HTTP 503', strain: true }
const REFUSED: Outcome = { kind: 'misconfigured', reason: 'HTTP 403' }

const RETRY = { firstMs: 2000, longestMs: 60_000 }

let now: number
let lines: [string, object | undefined][]
let lanes: Lanes
let made: number
let events: string[]
/** By origin, oldest first. */
let onTheirWay: Map<string, { readonly task: Task; readonly sending: Sending }[]>

function open(isOpen: boolean, isGood = true, wasAccepted = () => true): Lanes {
  const tell = (text: string, more?: object) => void lines.push([text, more])
  const credential = {
    number: 1,
    isGood,
    isProven: isGood,
    wasAccepted,
    prove: () => undefined,
  } as unknown as CredentialInUse
  const deps = {
    application: 1,
    platform: 2 as const,
    clock: { wallAt: (moment: number) => moment },
    log: { writes: () => true, debug: tell, info: tell, warn: tell, error: tell },
    persist: async <T>(operation: () => T): Promise<T> => operation(),
    events: {
      pushFinished: () => undefined,
      credentialPaused: (_: number, _platform: number, reason: string) => void events.push(reason),
      credentialResumed: () => void events.push('resumed'),
    },
  }
  const notices = createNotices(deps, credential, null)
  const provider = { isOpen, retry: RETRY } as unknown as Provider
  return createLanes({ random: () => 0, credential, notices, provider })
}

beforeEach(() => {
  now = 1_000_000
  lines = []
  made = 0
  events = []
  onTheirWay = new Map()
  lanes = open(true)
})

const notification = (): Task =>
  ({
    attempt: 1,
    recipient: { device: made++ },
    delivery: { record: { expiresAt: now + 3_600_000 } },
  }) as unknown as Task

function send(origin: string, task = notification()): string {
  const lane = lanes.admit(origin, task, now)
  if (!(lane instanceof Lane)) return lane.until === null ? 'waits' : 'waits on disk'
  const sending = lane.sent(task.recipient.device, now, now)
  onTheirWay.set(origin, [...(onTheirWay.get(origin) ?? []), { task, sending }])
  return 'go'
}

/** Fills the window; returns how many it sent. */
function fill(origin: string): number {
  for (let count = 0; ; count++) if (send(origin) !== 'go') return count
}

/** Answers the oldest in flight. */
function answer(origin: string, outcome: Outcome = ACCEPTED) {
  const [oldest, ...others] = onTheirWay.get(origin) ?? []
  if (oldest === undefined) throw new Error(`nothing is on its way to ${origin}`)
  onTheirWay.set(origin, others)
  const lane = lanes.all.find((each) => each.origin === origin)
  return lane?.answered(oldest, outcome, 10, now)
}

function exchange(origin: string, outcome: Outcome = ACCEPTED) {
  expect(send(origin)).toBe('go')
  return answer(origin, outcome)
}

const release = () => lanes.release(() => true).map(({ recipient }) => recipient.device)

describe('gateways of one credential', () => {
  test('have a window each: one request alone until the first success, then more', () => {
    expect(fill(GOOGLE)).toBe(1)
    expect(fill(MOZILLA)).toBe(1)
    release()
    answer(GOOGLE)
    // The window is four, and none is in flight.
    expect(fill(GOOGLE)).toBe(4)
    expect(fill(MOZILLA)).toBe(0)
  })

  test('have their recipients wait where there is no room, in their order, until there is', () => {
    expect(fill(GOOGLE)).toBe(1)
    send(GOOGLE)
    expect(lanes.next(now)).toBeNull()
    answer(GOOGLE)
    const next = () => {
      const task = lanes.next(now)
      return task === 'full' ? task : (task?.recipient.device ?? null)
    }
    expect([next(), next(), next()]).toEqual([1, 2, null])
  })

  test('are paused alone where one asks for time', () => {
    fill(GOOGLE)
    expect(answer(GOOGLE, HELD)).toEqual({ verdict: null, isAttempt: false })
    expect(lanes.admit(GOOGLE, notification(), now)).toEqual({
      for: 'unreachable',
      until: now + 7000,
      says: 'HTTP 429',
    })
    expect(lanes.admit(GOOGLE, notification(), now)).toMatchObject({ until: now + 7001 })
    expect(fill(MOZILLA)).toBe(1)
    expect(lanes.paused(now)).toEqual([{ service: GOOGLE, reason: 'HTTP 429' }])
    expect(lanes.trouble).toBe(null)
    now += 7000
    expect(lanes.paused(now)).toEqual([])
    expect(fill(GOOGLE)).toBe(1)
    const pause = {
      origin: GOOGLE,
      state: 'unreachable',
      reason: 'HTTP 429',
      waitMs: 7000,
    }
    expect(lines).toEqual([['sending paused', pause]])
  })

  test('are told of in the log when they are paused, and when they take something again', () => {
    exchange(GOOGLE, HELD)
    now += 7000
    exchange(GOOGLE)
    exchange(GOOGLE)
    expect(lines.map(([text]) => text)).toEqual(['sending paused', 'sending again'])
  })

  test('show strain each to its own window', () => {
    for (let n = 0; n < 10; n++) exchange(GOOGLE)
    expect(fill(GOOGLE)).toBe(31)
    release()
    answer(GOOGLE, STRAINED)
    for (const { sending } of onTheirWay.get(GOOGLE) ?? []) lanes.all[0]?.withdrawn(sending)
    expect(fill(GOOGLE)).toBe(21)
    expect(fill(MOZILLA)).toBe(1)
  })

  test.each<[string, number, Outcome]>([
    ['a token of another topic or sender', 1, { kind: 'rejected', blame: 'mismatch', reason: 'SENDER_ID_MISMATCH' }],
    ['fifty bad tokens', 50, { kind: 'rejected', blame: 'token', reason: 'BadDeviceToken' }],
    ['a busy gateway', 1, { kind: 'deferred', afterMs: null, scope: 'either', reason: 'UNAVAILABLE' }],
    ['a phone without an APNs key', 1, { kind: 'deferred', afterMs: null, scope: 'device', reason: 'HTTP 401' }],
    ['nine refusals', 9, REFUSED],
  ])('go on behind %s, whether the credential is proven or not', (_, count, outcome) => {
    for (const isProven of [false, true]) {
      lanes = open(true, isProven)
      for (let n = 0; n < count; n++) expect(exchange(GOOGLE, outcome)?.verdict).not.toBeNull()
      for (let n = 0; n < 20; n++) expect(exchange(GOOGLE)?.verdict?.kind).toBe('accepted')
      expect([lanes.trouble, lines.filter(([text]) => text === 'sending paused')]).toEqual([null, []])
    }
  })

  test('are each accused by ten of their own devices, and the others go on', () => {
    exchange(MOZILLA)
    for (let n = 0; n < 9; n++) expect(exchange(GOOGLE, REFUSED)?.verdict?.kind).toBe('retry')
    expect(lanes.trouble).toBe(null)
    exchange(GOOGLE, REFUSED)
    expect(send(GOOGLE)).toBe('waits on disk')
    expect(exchange(MOZILLA)?.verdict?.kind).toBe('accepted')
    expect(lanes.trouble).toBe(null)
    expect(lanes.paused(now)).toEqual([{ service: GOOGLE, reason: 'HTTP 403 for 10 of 10 devices' }])
  })

  test('are accused by devices that were accepted before, or by any while they have accepted nothing', () => {
    const BUSY: Outcome = { kind: 'deferred', afterMs: null, scope: 'either', reason: 'HTTP 503' }
    lanes = open(true, true, () => false)
    for (let n = 0; n < 10; n++) exchange(GOOGLE, BUSY)
    expect(send(GOOGLE)).toBe('waits on disk')
    exchange(MOZILLA)
    for (let n = 0; n < 20; n++) expect(exchange(MOZILLA, BUSY)?.verdict?.kind).toBe('retry')
    for (let n = 0; n < 20; n++) expect(exchange(MOZILLA, REFUSED)?.verdict?.kind).toBe('retry')
    expect(send(MOZILLA)).toBe('go')
    onTheirWay = new Map()
    lanes = open(true)
    exchange(MOZILLA)
    for (let n = 0; n < 10; n++) exchange(MOZILLA, BUSY)
    expect(send(MOZILLA)).toBe('waits on disk')
    expect(lanes.paused(now)).toEqual([{ service: MOZILLA, reason: 'HTTP 503 for 10 of 10 devices' }])
  })

  test('have it told once that one refuses the credential, and once that none does, whatever the others take', () => {
    exchange(MOZILLA)
    for (let n = 0; n < 10; n++) exchange(GOOGLE, REFUSED)
    for (let n = 0; n < 3; n++) exchange(MOZILLA)
    expect(events).toEqual(['resumed', 'HTTP 403 for 10 of 10 devices'])
    now += 600_000
    exchange(GOOGLE)
    expect(events.slice(2)).toEqual(['resumed'])
  })

  test('make the credential misconfigured where none of them takes anything', () => {
    for (let n = 0; n < 10; n++) exchange(GOOGLE, REFUSED)
    expect(lanes.trouble).toMatchObject({ state: 'misconfigured', reason: 'HTTP 403 for 10 of 10 devices' })
    // Who was sent to before is not counted under the number of others.
    expect(lanes.admit(GOOGLE, notification(), now)).toMatchObject({ for: 'misconfigured', says: 'HTTP 403' })
  })

  test('of which there are few make it unreachable where one of them is, and none takes anything', () => {
    lanes = open(false)
    const cut: Outcome = { kind: 'deferred', afterMs: null, scope: 'credential', reason: 'ECONNREFUSED' }
    exchange(GOOGLE, cut)
    expect(lanes.trouble).toEqual({ state: 'unreachable', reason: 'ECONNREFUSED' })
    expect(lanes.room(now)).toBe(0)
    expect(fill(MOZILLA)).toBe(1)
    answer(MOZILLA)
    expect(lanes.trouble).toBe(null)
  })

  test('that take nothing have 256 wait; the others come back later, one after the other', () => {
    for (let n = 0; n < 257; n++) expect(['go', 'waits']).toContain(send(GOOGLE))
    expect(lanes.next(now)).toBe(null)
    const says = 'the push service has no room'
    expect(lanes.admit(GOOGLE, notification(), now)).toEqual({ for: 'room', until: now + 5000, says })
    expect(lanes.admit(GOOGLE, notification(), now)).toEqual({ for: 'room', until: now + 5001, says })
    expect(send(MOZILLA)).toBe('go')
    expect(release()).toHaveLength(256)
  })

  test('that are well are waited for where 256 wait', () => {
    exchange(GOOGLE)
    for (let n = 0; n < 259; n++) expect(['go', 'waits']).toContain(send(GOOGLE))
    expect(lanes.next(now)).toBe(null)
    expect(send(GOOGLE)).toBe('waits')
    expect(lanes.next(now)).toBe('full')
    now += 1000
    expect(lanes.next(now)).toBe(null)
    expect(send(GOOGLE)).toBe('waits on disk')
  })

  test('have 1024 wait in all', () => {
    const services = Array.from({ length: 5 }, (_, n) => `https://n${n}.push.apple.com`)
    for (const service of services) for (let n = 0; n < 257; n++) send(service)
    expect(release()).toHaveLength(1024)
  })

  test('that never took anything are sixteen at a time: strangers may name many', () => {
    const sent = Array.from({ length: 30 }, (_, n) => send(`https://n${n}.notify.windows.com`))
    expect(sent.filter((kind) => kind === 'go')).toHaveLength(16)
    answer('https://n0.notify.windows.com', HELD)
    expect(send('https://n30.notify.windows.com')).toBe('go')
  })

  test('are a thousand at the most, and those with something under way are kept', () => {
    send(GOOGLE)
    for (let n = 0; n < 1100; n++) lanes.admit(`https://n${n}.notify.windows.com`, notification(), now)
    release()
    expect(fill(GOOGLE)).toBe(0)
  })

  test('give up those who wait and belong', () => {
    fill(GOOGLE)
    send(GOOGLE)
    expect(lanes.release(({ recipient }) => recipient.device === 1)).toMatchObject([{ recipient: { device: 1 } }])
    expect(release()).toEqual([2])
  })
})
