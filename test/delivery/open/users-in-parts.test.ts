import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { array, assert, constantFrom, integer, nat, oneof, option, property, record } from 'fast-check'
import type { Prepare } from '../../../src/audience/audience-plan.ts'
import type { Filter } from '../../../src/audience/filter.ts'
import { lookUpUsers } from '../../../src/audience/user-lookup.ts'
import type { Value } from '../../../src/database/statement.ts'
import { AudienceCursor } from '../../../src/delivery/open/audience-cursor.ts'
import { settleBatch, takeNext } from '../../../src/delivery/open/batch.ts'
import type { SendBatch } from '../../../src/delivery/open/batch.ts'
import type { Progress } from '../../../src/delivery/open/progress.ts'
import { createDeliveryStore } from '../../../src/delivery/store/delivery-store.ts'
import type { DeliveryStore } from '../../../src/delivery/store/delivery-store.ts'
import { createPushStore } from '../../../src/push/push-store.ts'
import { EVERYBODY } from '../../audience/population.ts'
import { openRegistry } from '../../support/registry.ts'
import { storeDevices } from '../../support/stored-devices.ts'

/* Users are looked up in parts, and devices found first are sent to before the rest. */

/** Several parts of the look-up, and several pages. */
const USERS = 1300
const name = (n: number) => `user-${String(n).padStart(5, '0')}`
const NAMES = Array.from({ length: USERS }, (_, n) => name(n))

let registry: ReturnType<typeof openRegistry>
let store: DeliveryStore
let push: number

beforeEach(() => {
  registry = openRegistry()
  store = createDeliveryStore(registry)
})
afterEach(() => registry[Symbol.dispose]())

/** `device.id` of user `n`: neighbouring users do not have neighbouring devices. */
const deviceOf = (n: number) => 1 + ((n * 7) % USERS)
const USER_OF = new Map(NAMES.map((user, n) => [deviceOf(n), user]))
const userAt = (id: number) => USER_OF.get(id) ?? ''

function begin(filter: Partial<Filter>): void {
  const { database } = registry
  storeDevices(database, USERS, (n) => ({ token: `token-${n + 1}`, user: userAt(n + 1) }))
  database.transact(() => {
    push = createPushStore({ database }).accept(1, {
      id: Bun.randomUUIDv7(),
      notification: { msg: 'Hello', sound: null, badge: null, payload: null },
      audience: { filter: { ...EVERYBODY, platforms: [0], ...filter } },
      createdAt: registry.clock.now(),
      timeToLiveMs: 60_000,
      sendAt: null,
      waves: [],
    })
  })
}

function cursorAt({ upTo, ahead }: Progress = { upTo: 0, ahead: [] }): AudienceCursor {
  const delivery = store.find(push, 0)
  if (delivery === null) throw new Error('no delivery')
  const stored = { ...delivery, progress: upTo, ahead }
  return new AudienceCursor(stored, store.recipients(stored))
}

/** `inVain`: reads that found nobody before the page. `null`: no page. */
function nextPage(cursor: AudienceCursor): { readonly page: SendBatch | null; readonly inVain: number } {
  for (let inVain = 0; ; inVain++) {
    const page = cursor.read(true, NOW)
    if (page !== null || !cursor.isSearching) return { page, inVain }
  }
}

/** Sends to the first `count` of a page and settles those. */
function send(cursor: AudienceCursor, page: SendBatch, count = page.recipients.length): number[] {
  for (let n = 0; n < count; n++) takeNext(page, NOW)
  cursor.settle(page, settleBatch(page, NOW, false).settled)
  return page.recipients.slice(0, count).map(({ device }) => device)
}

function rest(cursor: AudienceCursor): number[] {
  const sent: number[] = []
  for (;;) {
    const { page } = nextPage(cursor)
    if (page === null) return sent
    sent.push(...send(cursor, page))
  }
}

const NOW = 0
const inOrder = (ids: readonly number[]) => ids.toSorted((a, b) => a - b)
const ALL = Array.from({ length: USERS }, (_, n) => n + 1)

describe('a push to more users than are looked up at once', () => {
  test('begins with devices of the first users, before the others are looked up', () => {
    begin({ users: NAMES })
    const cursor = cursorAt()
    const { page, inVain } = nextPage(cursor)
    expect(inVain).toBe(0)
    const early = page?.recipients.map(({ device }) => device) ?? []
    expect(early).toEqual(inOrder(NAMES.slice(0, 32).map((_, n) => deviceOf(n))))
    // Not the first devices, which other users have.
    expect(early).not.toEqual(ALL.slice(0, 32))
    expect(nextPage(cursor).inVain).toBeGreaterThan(0)
  })

  test('begins with the users that are named first, in whatever order', () => {
    const named = NAMES.toReversed()
    begin({ users: named })
    const early = nextPage(cursorAt()).page?.recipients.map(({ device }) => device)
    expect(early).toEqual(inOrder(Array.from({ length: 32 }, (_, n) => deviceOf(USERS - 1 - n))))
  })

  test('looks up each user once, however often it is named', () => {
    begin({ users: [] })
    const named = [name(0), ...Array.from({ length: 5000 }, () => name(1))]
    const lookup = lookUpUsers((sql) => registry.database.reading(sql), named, { application: 1, platform: 0 })
    let parts = 0
    for (; !lookup.isOver; parts++) lookup.goOn()
    expect(parts).toBe(2)
    expect(lookup.listed()?.between(0, USERS)[0]).toBe(JSON.stringify(inOrder([deviceOf(0), deviceOf(1)])))
  })

  test('looks a part up again that could not be read', () => {
    begin({ users: [] })
    let reads = 0
    const prepare: Prepare = (sql) => {
      const statement = registry.database.reading<never, readonly Value[]>(sql)
      const get = (...values: Value[]) => {
        if (reads++ % 2 === 0) throw new Error('disk I/O error')
        return statement.get(...values)
      }
      return { ...statement, get }
    }
    const lookup = lookUpUsers(prepare, NAMES, { application: 1, platform: 0 })
    while (!lookup.isOver) {
      expect(() => lookup.goOn()).toThrow('disk I/O error')
      lookup.goOn()
    }
    expect(lookup.listed()?.between(0, USERS)[0]).toBe(JSON.stringify(ALL))
  })

  test('reaches each of their devices once', () => {
    begin({ users: NAMES })
    const cursor = cursorAt()
    const sent = rest(cursor)
    expect(inOrder(sent)).toEqual(ALL)
    expect(sent).not.toEqual(ALL)
    expect(cursor.progress).toEqual({ upTo: store.find(push, 0)?.ceiling ?? 0, ahead: [] })
  })

  test('leaves out devices that came after it', () => {
    begin({ users: [name(0), ...NAMES.map((user) => `no ${user}`)] })
    registry.devices.register(1, { token: 'new', platform: 0, user: name(0) })
    expect(rest(cursorAt())).toEqual([deviceOf(0)])
  })

  test('counts all of them', () => {
    begin({ users: NAMES, exceptUsers: [name(3)] })
    const delivery = store.find(push, 0)
    if (delivery === null) throw new Error('no delivery')
    const recipients = store.recipients(delivery)
    let total = 0
    for (let after = 0; after < delivery.ceiling;) {
      const { count, last } = recipients.count(after, 100)
      total += count
      after = last
    }
    expect(total).toBe(USERS - 1)
  })

  test('asks those that are sent to first for the other filters too', () => {
    begin({ users: NAMES, exceptUsers: NAMES.filter((_, n) => n % 2 === 0) })
    const odd = NAMES.flatMap((_, n) => (n % 2 === 0 ? [] : [deviceOf(n)]))
    expect(inOrder(rest(cursorAt()))).toEqual(inOrder(odd))
  })

  test('goes on after an end at any moment with whom it has not settled', () => {
    begin({ users: NAMES })
    const first = cursorAt()
    const early = send(first, nextPage(first).page ?? expect.unreachable(), 20)
    expect(early).toHaveLength(20)
    expect(first.progress.ahead.length).toBeGreaterThan(10)
    nextPage(first)
    const second = cursorAt(first.progress)
    expect(inOrder([...early, ...rest(second)])).toEqual(ALL)
  })

  test('goes on rightly from where a version stopped that looked all users up first', () => {
    begin({ users: NAMES })
    expect(inOrder(rest(cursorAt({ upTo: 500, ahead: [] })))).toEqual(ALL.slice(500))
    const sampled = cursorAt({ upTo: 500, ahead: [[700, 800]] })
    expect(inOrder(rest(sampled))).toEqual([...ALL.slice(500, 699), ...ALL.slice(800)])
  })

  test('reaches nobody twice who changes from one of the users to another meanwhile, and everybody else', () => {
    const change = record({
      kind: constantFrom('change' as const),
      device: integer({ min: 1, max: USERS }),
      user: option(constantFrom(...NAMES)),
    })
    const read = record({ kind: constantFrom('read' as const) })
    const settle = record({ kind: constantFrom('settle' as const), page: nat(), sent: nat() })
    const end = record({ kind: constantFrom('end' as const) })
    begin({ users: NAMES })
    const setUser = registry.database.statement<never, [string | null, number]>(
      'UPDATE device SET user = ? WHERE id = ?',
    )
    assert(
      property(array(oneof(change, read, read, settle, end), { minLength: 5, maxLength: 30 }), (events) => {
        let cursor = cursorAt()
        let open: SendBatch[] = []
        const sent: number[] = []
        const changed = new Set<number>()
        for (const event of events) {
          if (event.kind === 'change') {
            setUser.run(event.user, event.device)
            changed.add(event.device)
          } else if (event.kind === 'read') {
            const page = cursor.read(true, NOW)
            if (page !== null) open.push(page)
          } else if (event.kind === 'settle' && open.length > 0) {
            const [page] = open.splice(event.page % open.length, 1)
            if (page === undefined) continue
            const isCutShort = event.sent % 4 === 0
            sent.push(...send(cursor, page, isCutShort ? event.sent % page.recipients.length : page.recipients.length))
            if (!isCutShort) continue
            cursor = cursorAt(cursor.progress)
            open = []
          } else if (event.kind === 'end') {
            cursor = cursorAt(cursor.progress)
            open = []
          }
        }
        for (const page of open) sent.push(...send(cursor, page))
        sent.push(...rest(cursor))
        for (const device of changed) setUser.run(userAt(device), device)
        const reached = new Set(sent)
        expect(reached.size).toBe(sent.length)
        expect(ALL.filter((id) => !reached.has(id) && !changed.has(id))).toEqual([])
      }),
      { numRuns: 40 },
    )
  })
})
