import { join } from 'node:path'
import { notePath, startServer } from './child.ts'
import type { Peer } from './peer.ts'

/** nghttp2's server. It never sends GOAWAY by itself, and cannot refuse when it echoes. */
export const NGHTTPD: Peer = {
  name: 'nghttpd',
  program: 'nghttpd',
  versionArguments: ['--version'],
  limits: [1, 100, 1000],
  sendsGoaway: false,
  refusals: [],
  async start({ maxStreams, port, certificate, key, folder }) {
    const log = join(folder, 'frames.log')
    // Its only log of requests.
    const options = ['--verbose', '--echo-upload', '--address=127.0.0.1', `--max-concurrent-streams=${maxStreams}`]
    const command = ['nghttpd', ...options, String(port), key, certificate]
    const server = await startServer(command, { port, log, cwd: folder })
    return {
      async stop(book) {
        await server.end('SIGTERM')
        const connections = new Set<string>()
        for (const line of (await Bun.file(log).text()).split('\n')) {
          const [, connection, path] = /^\[id=(\d+)\].* recv \(stream_id=\d+\) :path: (.*)$/.exec(line) ?? []
          if (connection === undefined || path === undefined) continue
          connections.add(connection)
          notePath(book, path)
        }
        return { connections: connections.size }
      },
    }
  },
}
