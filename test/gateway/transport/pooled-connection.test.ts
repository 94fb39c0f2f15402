import { describe, expect, test } from 'bun:test'
import type { Clock } from '../../../src/clock.ts'
import { PooledConnection } from '../../../src/gateway/transport/pooled-connection.ts'
import type { Session } from '../../../src/gateway/transport/session.ts'
import { createFakeClock } from '../../support/fake-clock.ts'

const SESSION: Session = {
  protocol: 'HTTP/2' as const,
  maxStreams: 100,
  isBlocked: false,
  send: () => ({ cancel: () => true }),
  close() {},
}

/** An open connection with nothing in flight, and its clock. */
async function openIdle(session = SESSION) {
  const clock = createFakeClock()
  const timers = new Set<() => void>()
  const retired: string[] = []
  const opened = Promise.withResolvers<void>()
  const counting: Clock = {
    ...clock,
    after(delayMs, callback) {
      const cancel = clock.after(delayMs, () => (timers.delete(callback), callback()))
      timers.add(callback)
      return () => (timers.delete(callback), cancel())
    },
  }
  const connection = new PooledConnection(counting, 1000, () => Promise.resolve({ kind: 'open', session }), {
    onRoom: () => opened.resolve(),
    onRetired: (_, { reason }) => void retired.push(reason),
  })
  await opened.promise
  await Promise.resolve()
  return { connection, clock, timers, retired }
}

test('a connection that nobody uses is retired after a minute', async () => {
  const { clock, retired } = await openIdle()
  clock.advance(59_999)
  expect(retired).toEqual([])
  clock.advance(1)
  expect(retired).toEqual(['idle'])
})

test('a connection that has ended is kept by no timer', async () => {
  const { connection, timers, retired } = await openIdle()
  expect(timers.size).toBe(1)
  connection.onEnd({ reason: 'HTTP2GoAway', kind: 'parting' })
  expect(retired).toEqual(['HTTP2GoAway'])
  expect(timers.size).toBe(0)
})

describe('after its first answer a connection of one stream', () => {
  const answer = { kind: 'answer', status: 200, header: () => null, body: '' } as const

  async function answered(maxStreams: number, protocol: Session['protocol'] = 'HTTP/2') {
    const session = { ...SESSION, protocol, maxStreams }
    const opened = await openIdle(session)
    opened.connection.send({} as never, {} as never)
    opened.connection.over(answer)
    return { ...opened, session }
  }

  test('may allow more for 100 ms before another one is opened', async () => {
    const { connection, clock } = await answered(1)
    clock.advance(99)
    expect(connection.isNew).toBe(true)
    clock.advance(1)
    expect(connection.isNew).toBe(false)
  })

  test('allows no more by HTTP/1.1, and is known at once', async () => {
    const { connection } = await answered(1, 'HTTP/1.1')
    expect(connection.isNew).toBe(false)
  })

  test('is known as soon as it does', async () => {
    const { connection, session } = await answered(1)
    session.maxStreams = 1000
    expect(connection.isNew).toBe(false)
    expect(connection.room).toBe(1000)
  })

  test('is kept by no timer when it has ended', async () => {
    const { connection, timers } = await answered(1)
    connection.onEnd({ reason: 'HTTP2GoAway', kind: 'parting' })
    expect(timers.size).toBe(0)
  })
})
