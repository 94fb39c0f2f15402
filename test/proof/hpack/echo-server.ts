// An HTTP/2 server without TLS that answers with the request's headers: HPACK by nghttp2, both ways. Bundled for Node,
// see compare.ts. Prints its port, and ends with its standard input.
import { createServer, sensitiveHeaders } from 'node:http2'
import type { OutgoingHttpHeaders, ServerHttp2Session, Settings } from 'node:http2'
import type { AddressInfo } from 'node:net'

/** Table sizes that it asks for in turn, in bytes. The first is the default. */
const TABLE_SIZES = [4096, 0, 4096, 100, 65_536, 1000, 500, 33, 2000]
const REQUESTS_A_SIZE = 97

const server = createServer({ maxSessionMemory: 1000 })
server.on('session', (session: ServerHttp2Session) => {
  let served = 0
  session.on('error', (error) => process.stderr.write(`${error.message}\n`))
  session.on('stream', (stream, _headers, _flags, raw: readonly string[]) => {
    const answer: OutgoingHttpHeaders = { ':status': 200 }
    const sensitive: string[] = []
    for (let n = 0; n < raw.length; n += 2) {
      const name = nameBack(raw[n] ?? '')
      answer[name] = raw[n + 1]
      // As never-indexed literals (RFC 7541, 6.2.3).
      if (name.endsWith('t')) sensitive.push(name)
    }
    stream.on('error', (error) => process.stderr.write(`${error.message}\n`))
    stream.resume()
    stream.respond({ ...answer, [sensitiveHeaders]: sensitive }, { endStream: true, sendDate: false } as object)
    if (++served % REQUESTS_A_SIZE !== 0) return
    // Sometimes two at once: the client must announce the smallest and the last (RFC 7541, 4.2).
    for (let n = 0; n <= served % 2; n++) session.settings(tableOf(served / REQUESTS_A_SIZE + n))
  })
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))

process.stdin.on('end', () => process.exit(0))
process.stdin.resume()

function tableOf(n: number): Settings {
  return { headerTableSize: TABLE_SIZES[n % TABLE_SIZES.length] ?? 0 }
}

/** Renames headers that are not allowed in answers, or mean something else there. */
function nameBack(name: string): string {
  return name.startsWith(':') || name === 'content-length' ? `x-${name.replace(':', '')}` : name
}
