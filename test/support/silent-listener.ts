import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { networkInterfaces } from 'node:os'

/** An address of this machine where nobody answers, and nobody refuses. */
export interface SilentListener extends AsyncDisposable {
  readonly address: { readonly address: string; readonly family: number }
}

/** Listens, and accepts nobody. */
const LISTEN = `
const [host, port] = process.argv.slice(1)
const server = require('node:net').createServer()
server.listen({ host, port: Number(port), backlog: 1 }, () => {
  require('node:fs').writeSync(1, 'listening')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})`

/** A listener on `port` of another address than 127.0.0.1, with so many connections waiting that there is no room for another. */
export async function startSilentListener(port: number): Promise<SilentListener> {
  const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))
  const [address, family] = hasIpv6 ? (['::1', 6] as const) : (['127.0.0.2', 4] as const)
  const child = Bun.spawn([process.execPath, '-e', LISTEN, address, `${port}`], { stdout: 'pipe' })
  await child.stdout.getReader().read()
  const sockets: Socket[] = []
  /** Whether the system takes another one; one that it does not take hears nothing. */
  const isTaken = async (): Promise<boolean> => {
    const socket = connect({ host: address, port })
    sockets.push(socket)
    socket.on('error', () => undefined)
    return Promise.race([
      new Promise<boolean>((resolve) => socket.on('connect', () => resolve(true))),
      Bun.sleep(100).then(() => false),
    ])
  }
  const areTaken = async (): Promise<boolean> =>
    (await Promise.all(Array.from({ length: 100 }, isTaken))).every(Boolean)
  while (await areTaken()) if (sockets.length > 10_000) throw new Error('the backlog has no end')
  return {
    address: { address, family },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      child.kill('SIGKILL')
      await child.exited
    },
  }
}
