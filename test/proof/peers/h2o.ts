import { join } from 'node:path'
import { readAccessLog } from './access-log.ts'
import { startServer } from './child.ts'
import { refusalBody } from './peer.ts'
import type { Peer, PeerOrder } from './peer.ts'

/**
 * h2o 2.2. Its stream limit is always 100: `http2-max-concurrent-requests-per-connection` only bounds concurrent work.
 * It sends GOAWAY when it stops, not after a number of requests.
 */
export const H2O: Peer = {
  name: 'h2o',
  program: 'h2o',
  versionArguments: ['--version'],
  limits: [100],
  isLimitFixed: true,
  sendsGoaway: false,
  refusals: [400, 404],
  async start(order) {
    const { port, folder } = order
    const file = join(folder, 'h2o.conf')
    await Bun.write(file, configuration(order))
    const server = await startServer(['h2o', '-c', file], { port, log: join(folder, 'output.log'), cwd: folder })
    return {
      async stop(book) {
        await server.end('SIGTERM')
        return readAccessLog(join(folder, 'access.log'), book)
      },
    }
  },
}

function configuration({ port, certificate, key, folder }: PeerOrder): string {
  const user = process.getuid?.() === 0 ? 'user: root' : ''
  const refusals = H2O.refusals.map((status) => `"${status}" => '${refusalBody(status)}'`)
  return `
${user}
num-threads: 1
access-log: { path: ${folder}/access.log, format: "%{connection-id}x %U %s" }
listen: { host: 127.0.0.1, port: ${port}, ssl: { certificate-file: ${certificate}, key-file: ${key} } }
hosts:
  default:
    paths:
      "/":
        mruby.handler: |
          Proc.new do |env|
            path = env["PATH_INFO"]
            body = env["rack.input"] ? env["rack.input"].read : ""
            if path.start_with?("/refuse/")
              [path[8, 3].to_i, { "x-path" => path }, [{ ${refusals.join(', ')} }[path[8, 3]]]]
            else
              [200, { "x-path" => path }, [body]]
            end
          end
`
}
