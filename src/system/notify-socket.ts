import { dlopen, ptr } from 'bun:ffi'

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
  const { symbols: libc } = dlopen('libc.so.6', {
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    sendto: { args: ['i32', 'ptr', 'u64', 'i32', 'ptr', 'u32'], returns: 'i64' },
    close: { args: ['i32'], returns: 'i32' },
  })
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
