// The service's own HTTP/2 client and nothing around it: no database, no provider, no outcome.
import { systemClock } from '../../../../src/clock.ts'
import { h2Transport } from '../../../../src/gateway/transport/choose-transport.ts'
import { answerTo, DEADLINE_MS } from '../../../../src/gateway/transport/transport.ts'
import { BODY, headersOf, requestOf } from './request.ts'
import { runSender } from './run-sender.ts'

await runSender(1000, ({ origin, ca }) => {
  const transport = h2Transport(systemClock, null)(origin, { ca, deadlineMs: DEADLINE_MS })
  // One object for what all requests share, as the APNs provider has.
  const { 'apns-id': _, ...headers } = headersOf(requestOf(0))
  return async (n) => {
    const { token, apnsId } = requestOf(n)
    const request = { path: `/3/device/${token}`, headers, own: ['apns-id', apnsId], body: BODY } as const
    const answer = await answerTo(transport, request)
    if (answer.kind === 'failed') throw new Error(answer.reason)
    if (answer.status !== 200) throw new Error(`${answer.status}`)
  }
})
