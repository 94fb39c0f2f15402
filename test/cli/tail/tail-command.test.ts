import { describe, expect, test } from 'bun:test'
import { EventEmitter } from 'node:events'
import { summedUp } from '../../../src/cli/tail/tail-event.ts'
import type { TailEvent } from '../../../src/cli/tail/tail-event.ts'
import { createServerTail } from '../../../src/cli/tail/tail-server.ts'
import type { Application } from '../../../src/application/application.ts'
import { refused, withShop } from '../command-line.ts'
import { commandsBeside } from '../everyday-service.ts'
import type { Beside } from '../everyday-service.ts'

const IOS = 'c1'.repeat(32)
const GONE = 'bad41000'.padEnd(64, '0')
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

const beside = await commandsBeside()

interface Tail {
  /** Resolves with all lines when one matches, or when they do. */
  until(isSo: RegExp | ((lines: readonly string[]) => boolean)): Promise<readonly string[]>
  /** By Ctrl-C; returns the exit code. */
  end(): Promise<number>
}

type Over = Parameters<Beside['run']>[1]

/** Has begun to look. */
async function begun(argv: readonly string[], over: Over, env: Readonly<Record<string, string>> = PLAIN) {
  const signals = new EventEmitter()
  const began = Promise.withResolvers<void>()
  const stderr = (text: string) => void (text.startsWith('Showing new events') && began.resolve())
  const ended = beside.run(['tail', ...argv], { signals, stderr, terminal: { columns: 80 }, ...over }, env)
  await Promise.race([began.promise, ended])
  return { signals, ended }
}

/** Plain text on a terminal. */
const PLAIN = { NO_COLOR: '1', LANG: 'C.UTF-8' }

async function tail(argv: readonly string[], env?: Readonly<Record<string, string>>): Promise<Tail> {
  const lines: string[] = []
  let wake = () => {}
  const stdout = (text: string) => {
    lines.push(...text.split('\n').filter((line) => line !== ''))
    wake()
  }
  const { signals, ended } = await begun(argv, { stdout }, env)
  return {
    async until(wanted) {
      const isSo = (): boolean => (wanted instanceof RegExp ? lines.some((line) => wanted.test(line)) : wanted(lines))
      while (!isSo()) await new Promise<void>((resolve) => (wake = resolve))
      return lines
    },
    async end() {
      signals.emit('SIGINT')
      return (await ended).exitCode
    },
  }
}

describe('tail', () => {
  test('shows a push from its acceptance to its end, and devices that come and go', async () => {
    const caller = beside.newCaller()
    const other = beside.newCaller()
    await caller.register({ token: IOS, platform: '0' })
    const watching = await tail([caller.application.id])
    await other.register({ token: IOS, platform: '0' })
    await caller.register({ token: GONE, platform: '0' })
    await watching.until(/registered/)
    const { body } = await caller.post('/push/all', { platform: '0', msg: 'Secret', sound: '', badge: '' })
    await watching.until(/finished/)
    const lines = await watching.until(/gone/)
    expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/, '')).toSorted()).toEqual(
      [
        'registered   bad41000… (iOS)',
        'received     c1c1c1c1… (iOS): "Secret"',
        'received     bad41000… (iOS): "Secret"; answered 410 Unregistered',
        `accepted     push ${body.id}`,
        `started      push ${body.id}`,
        'gone         bad41000… (iOS): Unregistered',
        `finished     push ${body.id}: sent 1 of 2, 1 failed`,
      ].toSorted(),
    )
    expect(lines[0]).toEndWith('registered   bad41000… (iOS)')

    await caller.put('/stats', { platform: '0', id: body.id })
    await caller.put('/stats', { platform: '0' })
    await watching.until(/opened .* no push named/)
    expect(lines.at(-2)).toEndWith(`opened       push ${body.id}, 1 time`)
    // The rows of these are there already.
    await caller.put('/stats', { platform: '0', id: body.id })
    await caller.register({ token: GONE, platform: '0' })
    await caller.post('/push/one', { platform: '0', token: GONE, msg: 'Again', sound: '', badge: '' })
    await watching.until((all) => all.filter((line) => line.includes('gone   ')).length === 2)
    expect(lines.filter((line) => line.endsWith(`opened       push ${body.id}, 1 time`))).toHaveLength(2)
    expect(await watching.end()).toBe(0)
  })

  test('without an application names it; --json prints lines of JSON', async () => {
    const caller = beside.newCaller()
    const text = await tail([], {})
    const json = await tail(['--json'])
    await caller.register({ token: IOS, platform: '0' })
    // An earlier test's push may end now.
    const registered = /device.registered/
    const line = (await json.until(registered)).find((one) => registered.test(one))
    expect(JSON.parse(line ?? '')).toEqual({
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      application: caller.application.id,
      type: 'device.registered',
      token: 'c1c1c1c1…',
      platform: '0',
    })
    const shown = (await text.until(/registered/)).find((one) => one.includes('registered'))
    expect(Bun.stripANSI(shown ?? '')).toMatch(/ {2}caller \d+ {2}registered {3}c1c1c1c1\.\.\. \(iOS\)$/)
    expect(shown).toContain('\u001B[32mregistered \u001B[0m')
    expect(await Promise.all([text.end(), json.end()])).toEqual([0, 0])
  })

  test('counts what comes in bursts', async () => {
    const caller = beside.newCaller()
    await caller.register({ token: IOS, platform: '0' })
    const watching = await tail([caller.application.id])
    const tokens = Array.from({ length: 200 }, (_, n) => `android:${n}`)
    await caller.put('/deviceToken/batch', { platform: '1', tokens })
    await watching.until(/registered +200 devices$/)

    await Promise.all(
      Array.from({ length: 60 }, () =>
        caller.post('/push/one', { platform: '0', token: IOS, msg: 'Hello', sound: '', badge: '' }),
      ),
    )
    const ends = /finished +.*: sent (\d+) of/
    const total = (lines: readonly string[]) => lines.reduce((sum, line) => sum + Number(ends.exec(line)?.[1] ?? 0), 0)
    await watching.until((lines) => total(lines) === 60)
    expect(await watching.end()).toBe(0)
  })

  test('shows what was scheduled, released and cancelled', async () => {
    const caller = beside.newCaller()
    const watching = await tail([caller.application.id])
    const body = { platform: '0', msg: 'Hello', sound: '', badge: '' }
    const later = await caller.post('/push/all', { ...body, send_at: '3600' })
    await watching.until(new RegExp(`accepted +push ${UUID}, for \\d{4}-`))
    const soon = await caller.post('/push/all', { ...body, send_at: 600 })
    await watching.until(new RegExp(`accepted +push ${soon.body.id}, for`))
    beside.standStill(600_000)
    await caller.post(`/push/${later.body.id}/cancel`, {})
    await watching.until(new RegExp(`cancelled +push ${later.body.id}: sent 0 of 0`))
    await watching.until(new RegExp(`released +push ${soon.body.id}`))
    await watching.until(new RegExp(`finished +push ${soon.body.id}: sent 0 of 0`))
    expect(await watching.end()).toBe(0)
  })

  test('shows what arrived at the simulator, and what that answered', async () => {
    const caller = beside.newCaller()
    const watching = await tail([caller.application.id])
    const json = await tail([caller.application.id, '--json'])
    await caller.register({ token: IOS, platform: '0' })
    await caller.register({ token: 'android:1', platform: '1' })
    await caller.register({ token: GONE, platform: '0' })
    const badge = { title: 'Oven', msg: 'Fresh bread\u202E', sound: '', badge: '3' }
    await caller.post('/push/all', { platform: ['0', '1'], ...badge })
    for (const line of [
      /received     c1c1c1c1… \(iOS\): "Oven — Fresh bread\\u202e", badge 3$/,
      /received     android:… \(Android\): "Oven — Fresh bread\\u202e", badge 3$/,
      /received     bad41000… \(iOS\): "Oven — Fresh bread\\u202e", badge 3; answered 410 Unregistered$/,
    ]) {
      await watching.until(line)
    }
    const lines = await json.until(/notification.received.*android/)
    expect(JSON.parse(lines.find((line) => /notification.received.*android/.test(line)) ?? '')).toEqual({
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      application: caller.application.id,
      type: 'notification.received',
      token: 'android:…',
      platform: '1',
      title: 'Oven',
      text: 'Fresh bread\u202E',
      badge: 3,
      status: 200,
      reason: null,
    })
    await caller.post('/push/all', { platform: '0', payload: { sync: 1 }, silent: true, sound: '', badge: '', msg: '' })
    await watching.until(/received     c1c1c1c1… \(iOS\): nothing to show$/)
    const tokens = Array.from({ length: 100 }, (_, n) => `android:many${n}`)
    await caller.put('/deviceToken/batch', { platform: '1', tokens, tags: ['many'] })
    await caller.post('/push/all', { platform: '1', msg: 'All', tags: ['many'] })
    await watching.until(/received +\d+ notifications$/)
    expect(await Promise.all([watching.end(), json.end()])).toEqual([0, 0])
  })

  test('of the simulator shows only what the applications sent that are watched', async () => {
    const [caller, other] = [beside.newCaller(), beside.newCaller()]
    const watching = await tail([caller.application.id, '--json'])
    for (const one of [other, caller]) {
      await one.register({ token: IOS, platform: '0' })
      await one.post('/push/all', { platform: '0', msg: 'Hello', sound: '', badge: '' })
    }
    const lines = await watching.until(/notification.received/)
    expect(lines.every((line) => JSON.parse(line).application === caller.application.id)).toBe(true)
    expect(await watching.end()).toBe(0)
  })

  test('shows a push that is cancelled, or released, before it was seen to wait', async () => {
    const caller = beside.newCaller()
    await caller.register({ token: IOS, platform: '0' })
    await caller.register({ token: 'android:1', platform: '1' })
    const watching = await tail([caller.application.id])
    const body = { platform: ['0', '1'], msg: 'Hello', sound: '', badge: '', send_at: 60 }
    const { id } = (await caller.post('/push/all', body)).body
    const cancelled = (await caller.post('/push/all', body)).body.id
    await caller.post(`/push/${cancelled}/cancel`, {})
    beside.standStill(60_000)
    const lines = await watching.until(new RegExp(`finished +push ${id}: sent 2 of 2`))
    const verbs = (push: string) =>
      lines.flatMap((line) => (line.includes(push) ? (/^\S+ +(\S+)/.exec(line)?.[1] ?? []) : []))
    expect(verbs(id)).toEqual(['accepted', 'released', 'started', 'finished'])
    expect(verbs(cancelled)).toEqual(['accepted', 'cancelled'])
    expect(await watching.end()).toBe(0)
  })

  test('ends when its reader has gone', async () => {
    const caller = beside.newCaller()
    const { ended } = await begun([caller.application.id], { stdout: () => false })
    await caller.register({ token: IOS, platform: '0' })
    expect((await ended).exitCode).toBe(0)
  })
})

describe('more than twenty events of a kind and an application at one look', () => {
  const many = (count: number, event: object) =>
    Array.from({ length: count }, () => ({ at: 1, application: 7, ...event }) as TailEvent)
  const finished = { type: 'push.finished', push: 'id', t: 3, s: 2, failed: 1 }

  test('are one, with their number and sums, and pushes that start are left out', () => {
    const gone = { token: 'a1…', platform: 0, reason: 'Unregistered' }
    const events = [
      ...many(21, { type: 'push.accepted', push: 'id', sendAt: null }),
      ...many(21, { type: 'push.started', push: 'id' }),
      ...many(21, finished),
      ...many(20, { type: 'device.gone', ...gone }),
      ...many(2, { type: 'device.quarantined', ...gone }),
    ]
    expect(summedUp(events, 250)).toEqual([
      { at: 250, application: 7, type: 'pushes.accepted', count: 21 },
      { at: 250, application: 7, type: 'pushes.finished', count: 21, s: 42, failed: 21 },
      { at: 250, application: 7, type: 'devices.gone', count: 22 },
    ])
  })

  test('twenty are shown one by one, and so are cancelled pushes', () => {
    const events = [...many(20, finished), ...many(30, { ...finished, type: 'push.cancelled' })]
    expect(summedUp(events, 250)).toEqual(events)
  })
})

describe('what keeps pushes from going out', () => {
  const APPLICATION = { number: 7, id: 'app' } as Application

  test('is told once when it has lasted for two seconds; and that it is over', () => {
    let pause: string | null = 'InvalidProviderToken'
    const server = createServerTail({
      pauseOf: (_, platform) => (platform === 0 ? pause : null),
      received: () => ({ last: 0, received: [] }),
    })
    const told = (now: number) => [...server.look([APPLICATION], now)]
    expect([told(0), told(1999)]).toEqual([[], []])
    const event = { at: 2000, application: 7, platform: 0 } as const
    expect(told(2000)).toEqual([{ ...event, type: 'sending.paused', reason: 'InvalidProviderToken' }])
    expect(told(4000)).toEqual([])
    pause = null
    expect(told(4250)).toEqual([{ ...event, at: 4250, type: 'sending.resumed' }])
    // A shorter pause is not reported.
    pause = 'for a moment'
    expect(told(5000)).toEqual([])
    pause = null
    expect(told(6000)).toEqual([])
  })
})

test('without a server there is nothing to show, and the exit code is 1', async () => {
  using cli = await withShop()
  expect(await cli.run(['tail'])).toEqual(refused(1, `No server runs on ${cli.data}: start one with bellhop serve.`))
})
