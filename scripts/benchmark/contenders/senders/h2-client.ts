// The service's HTTP/2 client alone: no database, provider or outcomes.
import { systemClock } from '../../../../src/clock.ts'
import { h2Transport } from '../../../../src/gateway/transport/choose-transport.ts'
import { answerTo, DEADLINE_MS } from '../../../../src/gateway/transport/transport.ts'
import { BODY, headersOf, requestOf } from './request.ts'
import { runSender } from './run-sender.ts'

await runSender(1000, ({ origin, ca }) => {
  const transport = h2Transport(systemClock, null)(origin, { ca, deadlineMs: DEADLINE_MS })
  // All requests share one object, as in the APNs provider.
  const { 'apns-id': _, ...headers } = headersOf(requestOf(0))
  return async (n) => {
    const { token, apnsId } = requestOf(n)
    const request = { path: `/3/device/${token}`, headers, own: ['apns-id', apnsId], body: BODY } as const
    const answer = await answerTo(transport, request)
    if (answer.kind === 'failed') throw new Error(answer.reason)
    if (answer.status !== 200) throw new Error(`${answer.status}`)
  }
})
