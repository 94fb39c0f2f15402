import { join } from 'node:path'
import { startTelling } from './child.ts'
import type { Peer } from './peer.ts'

/** Node's `node:http2`, which is nghttp2's library. */
export const NODE: Peer = {
  name: 'Node http2',
  program: 'node',
  versionArguments: ['--version'],
  limits: [1, 100, 1000],
  sendsGoaway: true,
  refusals: [400, 404],
  async start({ maxStreams, goawayAfter, port, certificate, key, folder }) {
    const built = await Bun.build({
      entrypoints: [join(import.meta.dir, 'node-server.ts')],
      target: 'node',
      outdir: folder,
      naming: 'server.mjs',
    })
    if (!built.success) throw new Error(built.logs.map(({ message }) => message).join('\n'))
    const options = [port, certificate, key, maxStreams, goawayAfter ?? 0].map(String)
    return startTelling(['node', join(folder, 'server.mjs'), ...options], folder)
  },
}
