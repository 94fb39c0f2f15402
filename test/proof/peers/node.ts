import { join } from 'node:path'
import { bundledForNode, startTelling } from './child.ts'
import type { Peer } from './peer.ts'

/** Node's `node:http2` uses nghttp2's library. */
export const NODE: Peer = {
  name: 'Node http2',
  program: 'node',
  versionArguments: ['--version'],
  limits: [1, 100, 1000],
  sendsGoaway: true,
  refusals: [400, 404],
  async start({ maxStreams, goawayAfter, port, certificate, key, folder }) {
    const program = await bundledForNode(join(import.meta.dir, 'node-server.ts'), folder)
    const options = [port, certificate, key, maxStreams, goawayAfter ?? 0].map(String)
    return startTelling([...program, ...options], folder)
  },
}
