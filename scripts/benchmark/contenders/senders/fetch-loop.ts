// Bun's fetch alone, as in a script. Needs BUN_CONFIG_MAX_HTTP_REQUESTS above its 1000 in flight.
import { BODY, headersOf, requestOf } from './request.ts'
import { runSender } from './run-sender.ts'

await runSender(1000, ({ origin, ca }) => {
  const session = new Bun.FetchSession({ tls: { ca }, proxy: false })
  return async (n) => {
    const request = requestOf(n)
    const response = await session.fetch(`${origin}/3/device/${request.token}`, {
      method: 'POST',
      protocol: 'http2',
      redirect: 'manual',
      headers: headersOf(request),
      body: BODY,
    })
    await response.text()
    if (response.status !== 200) throw new Error(`${response.status}`)
  }
})
