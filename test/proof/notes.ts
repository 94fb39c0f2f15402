import type { TransportAnswer, TransportRequest } from '../../src/gateway/transport/transport.ts'

/** Headers of an APNs notification. One object for all, as in the service. */
const HEADERS = {
  authorization: `bearer ${'x'.repeat(184)}`,
  'apns-topic': 'com.example.proof',
  'apns-push-type': 'alert',
  'apns-priority': '10',
  'content-type': 'application/json',
}

/** APNs takes 4 KiB. One in a hundred is longer, up to half of a new stream's window. */
const MAX_BODY_BYTES = 4096
const LONG_BODY_BYTES = 30_000
const LONG_EVERY = 100

const PADDING = 'abcdefghijklmnopqrstuvwxyz012345'.repeat(LONG_BODY_BYTES / 32 + 1)

/** Identified by its path, its `apns-id` and the start of its body. */
export function noteOf(n: number, attempt: number): TransportRequest {
  return {
    path: pathOf(n, attempt),
    headers: HEADERS,
    own: ['apns-id', `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`],
    body: bodyOf(n, attempt),
  }
}

/** `null`: another path. */
export function numbersIn(path: string): { readonly n: number; readonly attempt: number } | null {
  const [, n, attempt] = /^\/3\/device\/(\d+)\/(\d+)$/.exec(path) ?? []
  return n === undefined || attempt === undefined ? null : { n: Number(n), attempt: Number(attempt) }
}

function pathOf(n: number, attempt: number): string {
  return `/3/device/${n}/${attempt}`
}

/** From 16 bytes to 4 KiB, or longer. */
function bodyOf(n: number, attempt: number): string {
  const length = n % LONG_EVERY === LONG_EVERY - 1 ? LONG_BODY_BYTES : 16 + ((n * 7919) % (MAX_BODY_BYTES - 16))
  return `${n}/${attempt};${PADDING.slice(n % 32, length)}`
}

/** Expects 200 with the body of the request, and its path if the peer sends it. */
export function wrongWithEcho(
  answer: TransportAnswer & { readonly kind: 'answer' },
  n: number,
  attempt: number,
): string | null {
  if (answer.status !== 200) return `status ${answer.status}: ${JSON.stringify(answer.body.slice(0, 80))}`
  const path = answer.header('x-path')
  if (path !== null && path !== pathOf(n, attempt)) return `the answer of ${path}`
  const wanted = bodyOf(n, attempt)
  if (answer.body === wanted) return null
  return `a body of ${answer.body.length} characters, ${answer.body.slice(0, 20)}…, in place of ${wanted.length}`
}
