import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { createWaits } from './waits.ts'

/** What the proxy does with the next tunnels: makes them, answers with this head, says nothing, or hangs up. */
export type ProxyReply = 'tunnel' | 'silent' | 'close' | { readonly head: string }

export interface ConnectProxy extends AsyncDisposable {
  readonly port: number
  /** The heads of all requests so far, line by line. */
  readonly requests: readonly (readonly string[])[]
  readonly openConnections: number
  reply: ProxyReply
  /** Where this authority (`host:port`) is really to be found, on this machine. */
  route(authority: string, port: number): void
  /** Resolves once `condition` holds; asked again whenever a request or a connection came, or a connection went. */
  until(condition: () => boolean): Promise<void>
}

/** An HTTP proxy that does nothing but CONNECT. It resolves every name to this machine. */
export async function startConnectProxy(): Promise<ConnectProxy> {
  const requests: string[][] = []
  const sockets = new Set<Socket>()
  const routes = new Map<string, number>()
  const { changed, until } = createWaits()
  let conduct: ProxyReply = 'tunnel'

  const server = createServer((client) => {
    sockets.add(client)
    client.on('error', () => undefined)
    client.on('close', () => {
      sockets.delete(client)
      changed()
    })
    let head = ''
    const read = (chunk: Buffer): void => {
      head += chunk.toString('latin1')
      if (!head.endsWith('\r\n\r\n')) return
      client.off('data', read)
      const lines = head.trimEnd().split('\r\n')
      requests.push(lines)
      if (conduct === 'tunnel') tunnel(client, lines[0]?.split(' ')[1] ?? '')
      else if (conduct === 'close') client.destroy()
      else if (conduct !== 'silent') client.write(conduct.head)
      changed()
    }
    client.on('data', read)
    changed()
  })

  function tunnel(client: Socket, authority: string): void {
    const port = routes.get(authority) ?? Number(/\d+$/.exec(authority)?.[0])
    const gateway = connect(port, 'localhost', () => {
      // In two pieces, as the network may do.
      client.write('HTTP/1.1 200 Connection estab')
      setImmediate(() => {
        client.write('lished\r\n\r\n')
        client.pipe(gateway)
        gateway.pipe(client)
      })
    })
    gateway.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
    gateway.on('close', () => client.end())
    client.on('close', () => gateway.destroy())
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    get openConnections() {
      return sockets.size
    },
    get reply() {
      return conduct
    },
    set reply(next) {
      conduct = next
    },
    route: (authority, port) => void routes.set(authority, port),
    until,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
