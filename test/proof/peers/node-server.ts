// Node's HTTP/2 server, which echoes. Bundled for Node, see node.ts. Arguments: port, certificate file, key file,
// stream limit, requests of a connection before its GOAWAY (0: no GOAWAY). Prints `ready`, and its counts at the end of
// its standard input.
import { readFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import type { ServerHttp2Stream } from 'node:http2'
import { refusalBody } from './peer.ts'

const [port = '', certificate = '', key = '', maxStreams = '', goawayAfter = ''] = process.argv.slice(2)
const paths: Record<string, number> = {}
let connections = 0

const server = createSecureServer({
  cert: readFileSync(certificate),
  key: readFileSync(key),
  settings: { maxConcurrentStreams: Number(maxStreams) },
})
server.on('session', (session) => {
  let served = 0
  connections++
  session.on('error', () => undefined)
  session.on('stream', (stream, headers) => {
    const path = String(headers[':path'])
    const pieces: Buffer[] = []
    stream.on('error', () => undefined)
    stream.on('data', (piece: Buffer) => pieces.push(piece))
    stream.on('end', () => {
      paths[path] = (paths[path] ?? 0) + 1
      if (!stream.destroyed) answer(stream, path, Buffer.concat(pieces))
      // close() sends GOAWAY with the last begun stream, and lets open streams finish.
      if (++served === Number(goawayAfter)) session.close()
    })
  })
})
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'))

process.stdin.on('end', () => {
  process.stdout.write(`${JSON.stringify({ connections, paths })}\n`, () => process.exit(0))
})
process.stdin.resume()

function answer(stream: ServerHttp2Stream, path: string, body: Buffer): void {
  const status = path.startsWith('/refuse/') ? Number(path.split('/')[2]) : 200
  stream.respond({ ':status': status, 'x-path': path })
  stream.end(status === 200 ? body : refusalBody(status))
}
