import { sleep } from '../../../clock.ts'
import type { Reply, SimulatedAnswer } from '../http2/reply.ts'
import type { FcmGatewayOptions } from './fcm-gateway.ts'
import { googlePage } from './google-error.ts'

/** Plays https://oauth2.googleapis.com/token, over HTTP/1.1 and HTTP/2. */
export function startTokenEndpoint({
  clock,
  pem,
  tokens,
  script,
}: Pick<FcmGatewayOptions, 'clock' | 'pem' | 'tokens' | 'script'>) {
  let requests = 0

  const decide = (request: Request, form: URLSearchParams): Reply => {
    if (new URL(request.url).pathname !== PATH) return answerWith(googlePage(404, 'Not Found'))
    if (request.method !== 'POST') return answerWith(googlePage(405, 'Method Not Allowed'))
    requests++
    const grant = tokens.check(form, clock.now())
    if (grant.kind === 'refused') return answerWith(grant.answer)
    const { account, claims } = grant
    const headers = Object.fromEntries(request.headers)
    const scripted = script({ gateway: 'fcm-token', token: account.clientEmail, headers, body: claims })
    return scripted ?? answerWith(tokens.issue(account, clock.monotonic()))
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { key: pem.privateKey, cert: pem.certificate },
    http2: true,
    development: false,
    // Bun would close a silent connection after ten seconds.
    idleTimeout: 0,
    async fetch(request) {
      const reply = decide(request, new URLSearchParams(await request.text()))
      // A reset or dropped connection is played as an answer that never comes.
      if (reply.kind !== 'answer') return await new Promise<never>(() => undefined)
      const { answer, afterMs = 0 } = reply
      if (afterMs > 0) await sleep(clock, afterMs)
      const date = new Date(clock.now()).toUTCString()
      return new Response(answer.body, { status: answer.status, headers: { date, ...answer.headers } })
    },
  })

  return {
    url: `https://127.0.0.1:${server.port}${PATH}`,
    requests: () => requests,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

const PATH = '/token'

function answerWith(answer: SimulatedAnswer): Reply {
  return { kind: 'answer', answer }
}
