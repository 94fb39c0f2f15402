import { expect, test } from 'bun:test'
import { dlopen, ptr } from 'bun:ffi'
import { join } from 'node:path'
import { openNotifySocket } from '../../src/system/service-manager.ts'
import { createServiceManager } from '../../src/system/service-manager.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

function setUp(env: Readonly<Record<string, string>>, broken = false) {
  const clock = createFakeClock()
  const told: string[] = []
  const complaints: string[] = []
  const manager = createServiceManager({
    env,
    clock,
    complain: (sentence) => complaints.push(sentence),
    open: (path) => (text) => {
      if (broken) throw new Error('no such socket')
      told.push(`${path} ${text}`)
    },
  })
  return { clock, told, complaints, manager }
}

test('without systemd nobody is told anything', () => {
  const { clock, told, manager } = setUp({ WATCHDOG_USEC: '60000000' })
  manager.ready()
  clock.advance(120_000)
  manager.stopping()
  expect(told).toEqual([])
})

test('systemd is told when it is ready and when it stops', () => {
  const { clock, told, manager } = setUp({ NOTIFY_SOCKET: '/run/notify' })
  manager.ready()
  clock.advance(120_000)
  manager.stopping()
  expect(told).toEqual(['/run/notify READY=1', '/run/notify STOPPING=1'])
})

test('the watchdog hears of it every half of its time, until it stops', () => {
  const { clock, told, manager } = setUp({ NOTIFY_SOCKET: '/run/notify', WATCHDOG_USEC: '60000000' })
  manager.ready()
  told.length = 0
  clock.advance(90_000)
  expect(told).toEqual(Array.from({ length: 3 }, () => '/run/notify WATCHDOG=1'))
  manager.stopping()
  clock.advance(90_000)
  expect(told).toHaveLength(4)
})

test('what cannot be told is complained of once, and nothing else is kept from working', () => {
  const { clock, complaints, manager } = setUp({ NOTIFY_SOCKET: '/run/notify', WATCHDOG_USEC: '60000000' }, true)
  manager.ready()
  clock.advance(90_000)
  manager.stopping()
  expect(complaints).toEqual(['cannot notify systemd READY=1: no such socket. Set Type=exec in the unit.'])
})

const LINUX = process.platform === 'linux'

test.skipIf(!LINUX)('a text arrives at a socket in the file system, and at an abstract one', () => {
  using directory = temporaryDirectory('bellhop-notify')
  for (const path of [join(directory.path, 'socket'), `@${directory.path}`]) {
    using receiver = receiverAt(path)
    const send = openNotifySocket(path)
    send('READY=1')
    send('WATCHDOG=1')
    expect([receiver.next(), receiver.next()]).toEqual(['READY=1', 'WATCHDOG=1'])
  }
})

test.skipIf(!LINUX)('where there is no socket, or no path of one, it throws', () => {
  expect(() => openNotifySocket('/nowhere/socket')('READY=1')).toThrow('the socket /nowhere/socket does not take it')
  expect(() => openNotifySocket('vsock:2:1')).toThrow('vsock:2:1 is no path of a unix socket')
  expect(() => openNotifySocket(`/${'x'.repeat(108)}`)).toThrow('is no path of a unix socket')
})

/** A unix socket for datagrams, which Bun itself does not have. */
function receiverAt(path: string) {
  const { symbols: libc } = dlopen('libc.so.6', {
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    bind: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
    recv: { args: ['i32', 'ptr', 'u64', 'i32'], returns: 'i64' },
    close: { args: ['i32'], returns: 'i32' },
  })
  const socket = libc.socket(1, 2, 0)
  const address = Buffer.from(`\u0001\0${path.startsWith('@') ? `\0${path.slice(1)}` : `${path}\0`}`)
  if (libc.bind(socket, ptr(address), address.length) !== 0) throw new Error(`cannot bind ${path}`)
  const MSG_DONTWAIT = 0x40
  const message = Buffer.alloc(4096)
  return {
    next: () => message.toString('utf8', 0, Number(libc.recv(socket, ptr(message), message.length, MSG_DONTWAIT))),
    [Symbol.dispose]: () => void libc.close(socket),
  }
}
