import { createServer } from 'node:https'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../../../clock.ts'
import type { Pem } from '../certificate.ts'
import type { IncomingRequest } from '../http2/reply.ts'
import type { Reply } from '../http2/reply.ts'

interface Http11ListenerOptions {
  readonly clock: Pick<Clock, 'after'>
  readonly pem: Pem
  readonly handle: (request: IncomingRequest) => Reply
}

/** HTTP/1.1 only, like a push service behind a plain proxy. Drops requests that `handle` does not answer. */
export async function listenHttp11({ clock, pem, handle }: Http11ListenerOptions) {
  const server = createServer({ key: pem.privateKey, cert: pem.certificate }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const reply = handle(readRequest(request, Buffer.concat(chunks)))
      if (reply.kind !== 'answer') return void request.socket.destroy()
      const { answer, afterMs = 0 } = reply
      const send = () => response.writeHead(answer.status, answer.headers).end(answer.body)
      if (afterMs > 0) clock.after(afterMs, send)
      else send()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function readRequest({ method = '', url = '', headers }: IncomingMessage, body: Buffer): IncomingRequest {
  const joined = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value])
  return { method, path: url, headers: Object.fromEntries(joined), repeatedHeaders: false, body }
}
