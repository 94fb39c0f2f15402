import { ptr } from 'bun:ffi'
import type { Clock } from '../clock.ts'
import { messageOf } from '../text/error-code.ts'
import { libcOf } from './libc.ts'

/** What starts this process and watches over it: systemd, or nothing. */
export interface ServiceManager {
  /** Reports that the service takes calls, and from then on that it is alive. */
  ready(): void
  stopping(): void
}

interface Options {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Pick<Clock, 'after'>
  /** Called once if systemd cannot be told: it will take the service for one that hangs. */
  readonly complain: (sentence: string) => void
  /** For tests. */
  readonly open?: (path: string) => (text: string) => void
}

/** For a unit with Type=notify, and with WatchdogSec= (sd_notify(3)). */
export function createServiceManager({ env, clock, complain, open = openNotifySocket }: Options): ServiceManager {
  const path = env['NOTIFY_SOCKET'] ?? ''
  const watchdogMs = Number(env['WATCHDOG_USEC'] ?? 0) / 1000
  let send = (_text: string) => {}
  let complained = false
  let cancel = () => {}

  function tell(text: string): void {
    try {
      send(text)
    } catch (error) {
      if (!complained) complain(`cannot notify systemd ${text}: ${messageOf(error)}. Set Type=exec in the unit.`)
      complained = true
    }
  }

  function alive(): void {
    // Half of the time, as sd_watchdog_enabled(3) advises.
    cancel = clock.after(watchdogMs / 2, alive)
    tell('WATCHDOG=1')
  }

  return {
    ready() {
      if (path === '') return
      let socket: typeof send | null = null
      send = (text) => (socket ??= open(path))(text)
      tell('READY=1')
      if (watchdogMs > 0) alive()
    },
    stopping() {
      cancel()
      tell('STOPPING=1')
    },
  }
}

/*
 * sd_notify(3) is one datagram to a unix socket, which neither `node:dgram` nor `Bun.udpSocket` has (Bun 1.4.5). The
 * constants are those of Linux, on x86-64 and arm64.
 */
const AF_UNIX = 1
const SOCK_DGRAM = 2
const SOCK_CLOEXEC = 0o2000000
const MSG_NOSIGNAL = 0x4000

/** Bytes of `sun_path` (unix(7)). */
const MAX_PATH = 108

/** `path`: a leading `@` stands for the abstract namespace. Throws. */
export function openNotifySocket(path: string): (text: string) => void {
  const address = addressOf(path)
  const libc = libcOf({
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    sendto: { args: ['i32', 'ptr', 'u64', 'i32', 'ptr', 'u32'], returns: 'i64' },
    close: { args: ['i32'], returns: 'i32' },
  })
  if (libc === null) throw new Error('this system has no such sockets')
  return (text) => {
    const message = Buffer.from(text)
    const socket = libc.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)
    const sent = libc.sendto(socket, ptr(message), message.length, MSG_NOSIGNAL, ptr(address), address.length)
    libc.close(socket)
    if (Number(sent) !== message.length) throw new Error(`the socket ${path} does not take it`)
  }
}

/** `struct sockaddr_un`: the family, then the path with its NUL; in the abstract namespace the NUL comes first. */
function addressOf(path: string): Buffer {
  const name = path.startsWith('@') ? `\0${path.slice(1)}` : `${path}\0`
  if (!/^[/@]/.test(path) || Buffer.byteLength(name) > MAX_PATH) throw new Error(`${path} is no path of a unix socket`)
  const family = Buffer.alloc(2)
  family.writeUInt16LE(AF_UNIX)
  return Buffer.concat([family, Buffer.from(name)])
}
