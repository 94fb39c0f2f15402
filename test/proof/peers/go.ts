import { join } from 'node:path'
import { $ } from 'bun'
import { startTelling } from './child.ts'
import type { Peer } from './peer.ts'

/**
 * Go's `net/http`. Its stream limit is `defaultMaxStreams` of the bundled HTTP/2 server: before Go 1.24
 * (`http.Server.HTTP2`) only golang.org/x/net/http2, outside the standard library, can change it.
 */
export const GO: Peer = {
  name: 'Go net/http',
  program: 'go',
  versionArguments: ['version'],
  limits: [250],
  isLimitFixed: true,
  sendsGoaway: true,
  refusals: [400, 404],
  async start({ goawayAfter, port, certificate, key, folder }) {
    const program = join(folder, 'server')
    await $`${GO.program} build -o ${program} .`.cwd(join(import.meta.dir, 'go')).quiet()
    return startTelling([program, String(port), certificate, key, String(goawayAfter ?? 0)], folder)
  },
}
