// Bun's fetch with FCM messages. Needs BUN_CONFIG_MAX_HTTP_REQUESTS above its 1000 in flight.
import { FCM_PROJECT } from '../../gateway/accepting-answer.ts'
import { AUTHORIZATION, COLLAPSE_ID, requestOf } from './request.ts'
import { runSender } from './run-sender.ts'

/** What the service sends for the same push, after the token. */
const REST = JSON.stringify({
  notification: { body: 'Hello' },
  data: { bellhop: JSON.stringify({ push: COLLAPSE_ID }) },
  android: { priority: 'high', notification: { sound: 'default', tag: COLLAPSE_ID }, ttl: '86400s' },
}).slice(1)

/** Pads a token to the 163 characters of Google's. */
const FILLING = 'x'.repeat(70)

await runSender(1000, ({ origin, ca }) => {
  const session = new Bun.FetchSession({ tls: { ca }, proxy: false })
  const url = `${origin}/v1/projects/${FCM_PROJECT}/messages:send`
  const headers = { authorization: AUTHORIZATION, 'content-type': 'application/json', 'accept-encoding': 'identity' }
  return async (n) => {
    const { token } = requestOf(n)
    const response = await session.fetch(url, {
      method: 'POST',
      protocol: 'http2',
      redirect: 'manual',
      headers,
      body: `{"message":{"token":"${token.slice(0, 22)}:APA91b${token}${FILLING}",${REST}}`,
    })
    const { name } = (await response.json()) as { readonly name?: unknown }
    if (response.status !== 200 || typeof name !== 'string') throw new Error(`${response.status}`)
  }
})
