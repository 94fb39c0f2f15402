import { expect, test } from 'bun:test'
import { createEventStreams } from '../../src/admin/event-stream.ts'
import { createFakeClock } from '../support/fake-clock.ts'

const NOTHING = { events: [], isLast: false }
const ann = { kind: 'administrator', number: 1, name: 'ann' } as const
let callers = 0

/** What comes, in text; the stream of `streams`, of one of ten callers. */
function openStream(
  streams: ReturnType<typeof createEventStreams>,
  source: Partial<Parameters<typeof streams.start>[0]> = {},
) {
  const gone = new AbortController()
  const body = streams.start({
    by: { ...ann, name: `caller ${callers++ % 10}` },
    next: () => NOTHING,
    isAllowed: () => true,
    gone: gone.signal,
    ...source,
  })
  const reader = body?.getReader()
  const next = async () => {
    const { done = true, value } = (await reader?.read()) ?? {}
    return { done, value: value && new TextDecoder().decode(value) }
  }
  return { gone, isOpen: body !== null, next }
}

/** Lets time pass in steps in which whoever waits for a timer can set the next. */
async function pass(clock: ReturnType<typeof createFakeClock>, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    clock.advance(100)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

test('a stream on which nothing comes says so twice before the listener would close it', async () => {
  const clock = createFakeClock()
  const stream = openStream(createEventStreams({ clock }))
  expect(await stream.next()).toEqual({ done: false, value: 'retry: 2000\n\n' })
  for (const _ of [1, 2]) {
    const comment = stream.next()
    await pass(clock, 15_500)
    expect(await comment).toEqual({ done: false, value: ':\n\n' })
  }
})

test('what comes is looked for twice a second, and sent together', async () => {
  const clock = createFakeClock()
  let waiting = [{ event: 'line', id: 1, data: '{}' }]
  const next = () => ({ events: waiting.splice(0), isLast: false })
  const stream = openStream(createEventStreams({ clock }), { next })
  expect((await stream.next()).value).toBe('retry: 2000\n\nevent: line\nid: 1\ndata: {}\n\n')
  waiting = [
    { event: 'line', id: 2, data: '{}' },
    { event: 'line', id: 3, data: '{}' },
  ]
  const both = stream.next()
  await pass(clock, 600)
  expect((await both).value).toBe('event: line\nid: 2\ndata: {}\n\nevent: line\nid: 3\ndata: {}\n\n')
})

test('a stream ends with its caller, its source, the right to look, or the service, and leaves its place', async () => {
  const clock = createFakeClock()
  const streams = createEventStreams({ clock })
  let isAllowed = true
  let fails = false
  const all = [
    openStream(streams),
    openStream(streams, { isAllowed: () => isAllowed }),
    openStream(streams, {
      next() {
        if (fails) throw new Error('the disk has failed')
        return NOTHING
      },
    }),
    ...Array.from({ length: 47 }, () => openStream(streams)),
  ]
  await Promise.all(all.map((stream) => stream.next()))
  expect(openStream(streams).isOpen).toBe(false)

  all[0]?.gone.abort()
  isAllowed = false
  fails = true
  const ends = all.slice(0, 3).map((stream) => stream.next())
  const failed = ends[2]?.catch((error: unknown) => String(error))
  await pass(clock, 600)
  expect(await Promise.all(ends.slice(0, 2))).toMatchObject([{ done: true }, { done: true }])
  expect(await failed).toBe('Error: the disk has failed')
  expect([1, 2, 3, 4].map(() => openStream(streams).isOpen)).toEqual([true, true, true, false])

  const rest = all.slice(3).map((stream) => stream.next())
  streams.close()
  expect((await Promise.all(rest)).every(({ done }) => done)).toBe(true)
})

test('one caller has at most 20, and leaves the rest to others', () => {
  const streams = createEventStreams({ clock: createFakeClock() })
  const isOpen = (name: string) => openStream(streams, { by: { ...ann, name } }).isOpen
  expect(Array.from({ length: 21 }, () => isOpen('ann')).indexOf(false)).toBe(20)
  expect(isOpen('bob')).toBe(true)
  streams.close()
  expect(isOpen('ann')).toBe(true)
})
