import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** A TCP relay between a client and a server, which can stop passing on what the client says. */
export interface SlowRelay extends AsyncDisposable {
  readonly port: number
  /** Takes nothing more of the clients that are connected; what the server says still passes. */
  stall(): void
  /** Takes one byte of each stalled client, if there is one. */
  takeByte(): void
  /** Neither way anything passes any more, and neither side is told. New clients are served. */
  forget(): void
}

/** `port`: the server's, on localhost. */
export async function startSlowRelay(port: number): Promise<SlowRelay> {
  const pairs = new Set<readonly [near: Socket, far: Socket]>()
  const server = createServer((near) => {
    const far = connect({ host: 'localhost', port })
    const pair = [near, far] as const
    pairs.add(pair)
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('data', (bytes) => void to.write(bytes))
      from.on('error', () => undefined)
      from.on('close', () => to.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))

  return {
    port: (server.address() as AddressInfo).port,
    stall() {
      for (const [near] of pairs) near.pause()
    },
    takeByte() {
      for (const [near, far] of pairs) {
        const byte: Buffer | null = near.read(1)
        if (byte !== null) far.write(byte)
      }
    },
    forget() {
      for (const pair of pairs) for (const socket of pair) socket.removeAllListeners('data').on('data', () => undefined)
    },
    async [Symbol.asyncDispose]() {
      for (const pair of pairs) for (const socket of pair) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
