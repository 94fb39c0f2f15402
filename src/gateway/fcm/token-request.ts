import { abortAfter } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { ensureSpareFiles } from '../../system/spare-files.ts'
import { readAnswerBody } from '../transport/answer-body.ts'
import { describeFetchFailure } from '../transport/fetch-failure.ts'
import { answerTo, DEADLINE_MS } from '../transport/transport.ts'
import type { Transport, TransportAnswer } from '../transport/transport.ts'

/**
 * POSTs a form to the token endpoint: over the transport, as everything that leaves for a gateway, or by HTTP/1.1 where
 * the endpoint speaks nothing newer, as a private one may.
 */
export async function postForm(
  transport: Transport,
  url: string,
  form: string,
  { clock, trust }: { readonly clock: Pick<Clock, 'after'>; readonly trust: { readonly ca?: string } },
): Promise<TransportAnswer> {
  const { pathname, search } = new URL(url)
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'accept-encoding': 'identity' }
  const answer = await answerTo(transport, { path: pathname + search, headers, body: form })
  if (answer.kind === 'answer' || !NO_HTTP2.test(answer.reason)) return answer
  using deadline = abortAfter(clock, DEADLINE_MS)
  try {
    ensureSpareFiles()
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: form,
      redirect: 'manual',
      proxy: false,
      keepalive: false,
      tls: trust,
      signal: deadline.signal,
    })
    const body = await readAnswerBody(response)
    return { kind: 'answer', status: response.status, header: (name) => response.headers.get(name), body }
  } catch (error) {
    return describeFetchFailure(error)
  }
}

/** The endpoint chose another protocol, or refused the handshake over it. */
const NO_HTTP2 = /^(HTTP2Unsupported|EPROTO)$/
