import { expect, test } from 'bun:test'
import { EventEmitter } from 'node:events'
import { runServer } from '../../../src/cli/service/server-process.ts'
import type { RunningServer } from '../../../src/cli/service/server-process.ts'
import { StartRefused } from '../../../src/failure.ts'
import { parseConfig } from '../../../src/settings/parse.ts'
import { createFakeClock } from '../../support/fake-clock.ts'

/** The test says when the server starts and stops. */
function setUp({
  attached = false,
  unwritten = { notifications: 0, pushes: 0 },
  setupUrl = null as string | null,
} = {}) {
  const signals = new EventEmitter()
  const clock = createFakeClock()
  const started = Promise.withResolvers<RunningServer>()
  const disposing = Promise.withResolvers<void>()
  const disposed = Promise.withResolvers<void>()
  const ready = Promise.withResolvers<void>()
  const broken = Promise.withResolvers<Awaited<RunningServer['broken']>>()
  const told: string[] = []
  const printed: string[] = []
  const complained: string[] = []
  const parsed = parseConfig(['--drain-seconds', '10'], {}, () => ({ kind: 'problem', problem: 'is not there' }))
  if (parsed.kind === 'problems') throw new Error(parsed.problems.join())

  const exitCode = runServer(parsed.config, {
    stdout(text) {
      printed.push(text)
      ready.resolve()
    },
    stderr: (text) => void complained.push(text),
    clock,
    signals,
    started: () => void told.push('started'),
    onBroken: () => void told.push('broken'),
    attached,
    serveCommand: () => Promise.reject(new Error('not started')),
    env: {},
    manager: { ready: () => void told.push('ready'), stopping: () => void told.push('stopping') },
    start: () => started.promise,
  })
  const server: RunningServer = {
    url: 'http://127.0.0.1:1',
    adminUrl: 'http://127.0.0.1:2',
    setupUrl: async () => setupUrl,
    broken: broken.promise,
    reload: () => void told.push('reload'),
    unwritten: () => unwritten,
    [Symbol.asyncDispose]() {
      disposing.resolve()
      return disposed.promise
    },
  }
  return { signals, clock, exitCode, printed, complained, started, server, disposing, disposed, ready, broken, told }
}

test('as long as there is no administrator it prints where to become one, behind the line of every start', async () => {
  const { signals, exitCode, printed, started, server, disposed, ready } = setUp({
    setupUrl: 'http://127.0.0.1:2/setup#x',
  })
  started.resolve(server)
  await ready.promise
  // In one write: a reader may stop after the first line.
  expect(printed).toEqual([
    'ready http://127.0.0.1:1 admin http://127.0.0.1:2\ndashboard http://127.0.0.1:2/setup#x (works once, for 30 minutes)\n',
  ])
  signals.emit('SIGTERM')
  disposed.resolve()
  expect(await exitCode).toBe(0)
})

test('when ready it prints one line, and a signal stops it with exit code 0', async () => {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    const { signals, exitCode, printed, complained, started, server, disposing, disposed, ready } = setUp()
    started.resolve(server)
    await ready.promise
    expect(printed).toEqual(['ready http://127.0.0.1:1 admin http://127.0.0.1:2\n'])
    signals.emit(signal)
    await disposing.promise
    disposed.resolve()
    expect(await exitCode).toBe(0)
    expect(printed).toHaveLength(1)
    expect(complained).toEqual([])
  }
})

test('a stop that could not write down what was sent says how much is sent again, with exit code 3', async () => {
  for (const [unwritten, sentence] of [
    [
      { notifications: 8000, pushes: 2 },
      '8000 notifications that were sent could not be stored, and will be sent again at the next start (2 pushes).',
    ],
    [
      { notifications: 1, pushes: 1 },
      '1 notification that was sent could not be stored, and will be sent again at the next start (1 push).',
    ],
  ] as const) {
    const { signals, exitCode, complained, started, server, disposed, ready } = setUp({ unwritten })
    started.resolve(server)
    await ready.promise
    signals.emit('SIGTERM')
    disposed.resolve()
    expect(await exitCode).toBe(3)
    expect(complained).toEqual([`bellhop: ${sentence}\n`])
  }
})

test('a server that can go on no longer ends it at once, with exit code 1 and the reason', async () => {
  const { exitCode, complained, started, server, broken } = setUp()
  started.resolve(server)
  broken.resolve({ kind: 'disk-failed', message: 'The disk failed: Error: EIO' })
  expect(await exitCode).toBe(1)
  expect(complained).toEqual([
    'bellhop: The disk failed: Error: EIO. Stopped, so that nothing is acknowledged that is not on disk.\n',
  ])
})

test('it does not end before the server is disposed', async () => {
  const { signals, exitCode, started, server, disposing, disposed } = setUp()
  started.resolve(server)
  signals.emit('SIGTERM')
  await disposing.promise
  let ended = false
  void exitCode.then(() => (ended = true))
  await new Promise(setImmediate)
  expect(ended).toBe(false)
  disposed.resolve()
  expect(await exitCode).toBe(0)
})

test('a second signal quits at once, with 128 and its number', async () => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const { signals, exitCode, started, server, disposing } = setUp()
    started.resolve(server)
    signals.emit('SIGTERM')
    await disposing.promise
    signals.emit(signal)
    expect(await exitCode).toBe(code)
  }
})

test('a signal while it starts stops it as soon as it has started, without the line', async () => {
  const { signals, exitCode, printed, started, server, disposing, disposed } = setUp()
  signals.emit('SIGINT')
  started.resolve(server)
  await disposing.promise
  disposed.resolve()
  expect(await exitCode).toBe(0)
  expect(printed).toEqual([])
})

test('a service manager is told when it is ready, and when it stops', async () => {
  const { signals, exitCode, started, server, disposing, disposed, ready, told } = setUp()
  expect(told).toEqual([])
  started.resolve(server)
  await ready.promise
  expect(told).toEqual(['started', 'ready'])
  signals.emit('SIGTERM')
  await disposing.promise
  expect(told).toEqual(['started', 'ready', 'stopping'])
  disposed.resolve()
  await exitCode
})

test('SIGHUP without a terminal reads files again, once there is a server, and ends nothing', async () => {
  const { signals, exitCode, started, server, disposing, disposed, ready, told } = setUp()
  signals.emit('SIGHUP')
  started.resolve(server)
  await ready.promise
  expect(told).toEqual(['started', 'ready'])
  signals.emit('SIGHUP')
  signals.emit('SIGHUP')
  expect(told).toEqual(['started', 'ready', 'reload', 'reload'])
  signals.emit('SIGTERM')
  await disposing.promise
  disposed.resolve()
  expect(await exitCode).toBe(0)
})

test('SIGHUP of a terminal that closes stops it like the others', async () => {
  const { signals, exitCode, started, server, disposing, told } = setUp({ attached: true })
  started.resolve(server)
  signals.emit('SIGHUP')
  await disposing.promise
  signals.emit('SIGHUP')
  expect(await exitCode).toBe(129)
  expect(told).not.toContain('reload')
})

test('two signals while it starts quit at once', async () => {
  const { signals, exitCode } = setUp()
  signals.emit('SIGINT')
  signals.emit('SIGINT')
  expect(await exitCode).toBe(130)
})

test('a stop that outlasts the drain time and 5 seconds for closing ends all the same, and says so', async () => {
  const { signals, clock, exitCode, complained, started, server, disposing } = setUp()
  started.resolve(server)
  signals.emit('SIGTERM')
  await disposing.promise
  await new Promise(setImmediate)
  clock.advance(14_999)
  await new Promise(setImmediate)
  expect(complained).toEqual([])
  clock.advance(1)
  expect(await exitCode).toBe(0)
  expect(complained).toEqual([
    'bellhop: Stopped with work in flight after the drain time. It continues at the next start.\n',
  ])
})

test('what keeps it from starting is handed on, and no listener stays behind', async () => {
  const { signals, exitCode, started } = setUp()
  started.reject(new StartRefused('Another Bellhop serves ./bellhop-data.'))
  const error = await exitCode.catch((error: unknown) => error)
  expect(error).toBeInstanceOf(StartRefused)
  expect(error).toHaveProperty('message', 'Another Bellhop serves ./bellhop-data.')
  expect(signals.eventNames()).toEqual([])
})
