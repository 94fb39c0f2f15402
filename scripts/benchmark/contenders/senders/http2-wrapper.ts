// One session of http2-wrapper, at its best with 250 requests in flight.
import { once } from 'node:events'
import { Agent } from 'http2-wrapper'
import { BODY, headersOf, requestOf } from './request.ts'
import { runSender } from './run-sender.ts'

await runSender(250, async ({ origin, ca }) => {
  const session = await new Agent().getSession(new URL(origin), { ca })
  // Bun 1.4.5 loses requests made before the gateway's settings arrive.
  if (Object.keys(session.remoteSettings ?? {}).length === 0) await once(session, 'remoteSettings')
  return (n) =>
    new Promise<void>((resolve, reject) => {
      const request = requestOf(n)
      const stream = session.request({
        ':method': 'POST',
        ':path': `/3/device/${request.token}`,
        ...headersOf(request),
      })
      let status: number | undefined
      stream.on('response', (headers) => (status = headers[':status']))
      stream.on('end', () => (status === 200 ? resolve() : reject(new Error(`${status}`))))
      stream.on('error', reject)
      stream.resume()
      stream.end(BODY)
    })
})
