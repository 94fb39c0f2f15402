import { ptr } from 'bun:ffi'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { libcOf } from './libc.ts'

/* The sockets of this process as the kernel knows them: Bun lists only those with a call under way. */

/** A connection made to a port of this process. */
export interface OpenConnection {
  /** Its descriptor. */
  readonly file: number
  /** Of the other end; IPv4 that came in over IPv6 is in IPv6 form. */
  readonly address: string
  /** Of this process. */
  readonly port: number
  /** Milliseconds since a byte was last sent or received. */
  readonly idleMs: number
  /** Whether the last bytes received are not answered yet: a call, or a part of one. */
  readonly waits: boolean
}

export interface SocketTable {
  openFiles(): number
  connectionsTo(ports: ReadonlySet<number>): readonly OpenConnection[]
  /** Shuts a connection down in both directions, so that its owner closes it. */
  end(connection: OpenConnection): void
}

const FILES = '/proc/self/fd'

/** How many files and connections this process may have open; `null`: not on Linux. */
export function maxOpenFiles(): number | null {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return soft === undefined ? null : Number(soft)
  } catch {
    return null
  }
}

/** `null` on other systems than Linux. `maxFiles`: what this process may have open. */
export function openSocketTable(maxFiles: number): SocketTable | null {
  const libc = libcOf({
    fcntl: { args: ['i32', 'i32'], returns: 'i32' },
    getsockname: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
    getpeername: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
    getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
    shutdown: { args: ['i32', 'i32'], returns: 'i32' },
  })
  if (libc === null) return null
  const { fcntl, getsockname, getpeername, getsockopt, shutdown } = libc
  // `new ArrayBuffer`: otherwise the first view would move the bytes, and leave `ptr` behind.
  const address = Buffer.from(new ArrayBuffer(ADDRESS_BYTES))
  const info = Buffer.from(new ArrayBuffer(INFO.bytes))
  const length = new Uint32Array(new ArrayBuffer(4))
  const [addressAt, infoAt, lengthAt] = [ptr(address), ptr(info), ptr(length)]

  /** Bytes that `ask` wrote of an address: 0 if the file is no socket, or not connected. */
  function addressOf(ask: typeof getsockname, file: number): number {
    length[0] = ADDRESS_BYTES
    return ask(file, addressAt, lengthAt) === 0 && isInternet(address) ? length[0] : 0
  }

  function connectionOf(file: number, ports: ReadonlySet<number>): OpenConnection | null {
    if (addressOf(getsockname, file) === 0) return null
    const port = address.readUInt16BE(2)
    if (!ports.has(port) || addressOf(getpeername, file) === 0) return null
    const peer = ipOf(address)
    length[0] = INFO.bytes
    if (getsockopt(file, TCP, TCP_INFO, infoAt, lengthAt) !== 0) return null
    const sentMs = info.readUInt32LE(INFO.lastDataSent)
    const receivedMs = info.readUInt32LE(INFO.lastDataReceived)
    // Both times count from the start of the connection, in steps of some milliseconds.
    const hasSpoken = info.readBigUInt64LE(INFO.bytesReceived) > 0n
    const wasAnswered = info.readBigUInt64LE(INFO.bytesAcked) > 0n && receivedMs >= sentMs
    return { file, address: peer, port, idleMs: Math.min(sentMs, receivedMs), waits: hasSpoken && !wasAnswered }
  }

  function openFiles(): number {
    // Since Linux 6.2 the size is the number of files (proc_pid_fd(5)).
    const { size } = statSync(FILES)
    return size > 0 ? size : countOf(FILES, maxFiles)
  }

  return {
    openFiles,
    connectionsTo(ports) {
      const connections: OpenConnection[] = []
      // Not listed from /proc: that takes a file, and there may be none left.
      let left = openFiles()
      for (let file = 0; left > 0 && file < maxFiles; file++) {
        if (fcntl(file, GET_FLAGS) === -1) continue
        left -= 1
        const connection = connectionOf(file, ports)
        if (connection !== null) connections.push(connection)
      }
      return connections
    },
    end: ({ file }) => void shutdown(file, BOTH_DIRECTIONS),
  }
}

/** sockaddr_storage (socket(7)). */
const ADDRESS_BYTES = 128
/** F_GETFD, and constants of Linux's socket.h and tcp.h, the same on every machine that Bun supports. */
const [GET_FLAGS, IPV4, IPV6, TCP, TCP_INFO, BOTH_DIRECTIONS] = [1, 2, 10, 6, 11, 2]
/** Offsets in tcp_info (linux/tcp.h), in bytes. */
const INFO = { lastDataSent: 44, lastDataReceived: 52, bytesAcked: 120, bytesReceived: 128, bytes: 136 }

/** `max` if no file is left to list them with. */
function countOf(directory: string, max: number): number {
  try {
    return readdirSync(directory).length
  } catch {
    return max
  }
}

function isInternet(address: Buffer): boolean {
  const family = address.readUInt16LE(0)
  return family === IPV4 || family === IPV6
}

/** Of sockaddr_in or sockaddr_in6 (ip(7), ipv6(7)). */
function ipOf(address: Buffer): string {
  if (address.readUInt16LE(0) === IPV4) return address.subarray(4, 8).join('.')
  return Array.from({ length: 8 }, (_, group) => address.readUInt16BE(8 + 2 * group).toString(16)).join(':')
}
