import { expect, test } from 'bun:test'
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
async function openIdle() {
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
  const connection = new PooledConnection(counting, 1000, () => Promise.resolve({ kind: 'open', session: SESSION }), {
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
