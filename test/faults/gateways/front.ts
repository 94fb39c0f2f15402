import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'

/**
 * What happens to a new connection: it leads to a server's port, is closed, gets plain text in place of TLS, or gets
 * nothing.
 */
export type FrontMode =
  | { readonly kind: 'lead'; readonly port: number }
  | { readonly kind: 'close' }
  | { readonly kind: 'plain' }
  | { readonly kind: 'mute' }

/** The fixed port of a gateway, below TLS. The server behind it can change. */
export interface Front extends AsyncDisposable {
  readonly port: number
  /** For new connections. */
  mode: FrontMode
  cut(): void
  readonly connections: { readonly open: number; readonly total: number }
}

export async function startFront(mode: FrontMode): Promise<Front> {
  const open = new Set<Socket>()
  let total = 0
  const server = createServer((socket) => {
    total++
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    // A client that was cut off needs no answer.
    socket.on('error', () => socket.destroy())
    switch (front.mode.kind) {
      case 'lead':
        lead(socket, front.mode.port)
        return
      case 'close':
        socket.destroy()
        return
      case 'plain':
        socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n'))
        return
      case 'mute':
        socket.resume()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a listening TCP server has a port')
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  const front: Front = {
    port: address.port,
    mode,
    cut,
    get connections() {
      return { open: open.size, total }
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      cut()
      await closed
    },
  }
  return front
}

function lead(socket: Socket, port: number): void {
  const behind = connect(port, '127.0.0.1')
  behind.on('error', () => socket.destroy())
  // Pass on the last answers before the end.
  behind.on('close', () => socket.end(() => socket.destroy()))
  socket.on('close', () => behind.destroy())
  behind.pipe(socket)
  socket.pipe(behind)
}
