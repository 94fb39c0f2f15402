import { lookup } from 'node:dns/promises'
import type { LookupAddress } from 'node:dns'
import type { Agent, IncomingMessage, request } from 'node:http'
import type { LookupFunction } from 'node:net'
import { abortAfter } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { addressIn } from '../network/special-networks.ts'
import { codeOf } from '../text/error-code.ts'
import { refusal } from './address-guard.ts'

/** One try: what the receiver answered, or why there is no answer. */
export type PostOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: string | null }
  | { readonly kind: 'failed'; readonly reason: string }

/** Sends one event; never throws. Aborting `signal` ends the try. */
export type Post = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
) => Promise<PostOutcome>

interface Options {
  readonly clock: Pick<Clock, 'after'>
  /** PEM. `undefined`: what the system trusts. */
  readonly ca: string | undefined
  /** Whether events may go to addresses that are not of the internet. */
  readonly allowPrivate: boolean
  /** All addresses of a name. Default: as the system resolves it. */
  readonly resolve?: (host: string) => Promise<readonly LookupAddress[]>
}

interface Call {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
  readonly addresses: readonly LookupAddress[]
  readonly client: HttpClient
}

interface HttpClient {
  readonly request: typeof request
  readonly agent: Agent
}

interface HttpClients {
  readonly tls: HttpClient
  readonly plain: HttpClient
}

/** For everything: name, connection, answer. The least that Standard Webhooks recommends ("Request timeouts"). */
const TIMEOUT_MS = 15_000

/** Bytes of an answer that are read, so that a receiver can end it. */
const MAX_ANSWER = 64 * 1024

/**
 * How long a connection waits for the next event, in ms: less than the 5 s after which servers close it (Node's
 * `keepAliveTimeout`, Apache's `KeepAliveTimeout`). And how many wait for one receiver.
 */
const IDLE_MS = 4000
const MAX_IDLE = 16

const systemResolve = (host: string) => lookup(host, { all: true })

/**
 * Resolves the name itself, looks at all its addresses and connects to these and no others: a name that changes between
 * look and connection (DNS rebinding) leads nowhere. So each event has a connection of its own, without a proxy, which
 * would resolve the name anew. A redirect is an answer like any other: nobody follows it.
 */
export function createPost({ clock, ca, allowPrivate, resolve = systemResolve }: Options): Post {
  let clients: Promise<HttpClients> | null = null

  async function addressesOf(url: URL): Promise<readonly LookupAddress[]> {
    const address = addressIn(url)
    if (address === null) return resolve(url.hostname)
    return [{ address, family: address.includes(':') ? 6 : 4 }]
  }

  async function attempt(
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<PostOutcome> {
    const addresses = await addressesOf(url)
    const refused = refusal(
      url,
      addresses.map(({ address }) => address),
      allowPrivate,
    )
    if (refused !== null) return { kind: 'failed', reason: refused }
    const { tls, plain } = await (clients ??= loadClients())
    signal.throwIfAborted()
    const client = url.protocol === 'https:' ? tls : plain
    return postOnce({ url, headers, body, signal, addresses, client }, false)
  }

  /** `alone`: over a connection of its own. */
  function postOnce(call: Call, alone: boolean): Promise<PostOutcome> {
    const { url, headers, body, signal, addresses } = call
    const { request, agent } = call.client
    return new Promise((resolvePost, reject) => {
      const sent = request(
        url,
        {
          method: 'POST',
          headers: { ...headers, 'content-length': Buffer.byteLength(body) },
          agent: alone ? false : agent,
          lookup: only(addresses),
          signal,
          ...(ca !== undefined && { ca }),
        },
        (answer) => void settled(answer).then(resolvePost),
      )
      sent.on('error', (error) => {
        // A connection that had waited may have been closed by the receiver at that very moment, which is no failure.
        if (sent.reusedSocket && !signal.aborted) resolvePost(postOnce(call, true))
        else reject(error)
      })
      sent.end(body)
    })
  }

  return async (url, headers, body, signal) => {
    using deadline = abortAfter(clock, TIMEOUT_MS)
    const either = AbortSignal.any([signal, deadline.signal])
    try {
      return await Promise.race([attempt(new URL(url), headers, body, either), aborted(either)])
    } catch (error) {
      // Not the message, which may quote the address.
      return { kind: 'failed', reason: deadline.signal.aborted ? 'no answer in time' : (codeOf(error) ?? 'failed') }
    }
  }
}

/** Loaded by the first event: every full collection visits a module's objects, and few services have webhooks. */
async function loadClients(): Promise<HttpClients> {
  const [http, https] = await Promise.all([import('node:http'), import('node:https')])
  const pooled = { keepAlive: true, maxFreeSockets: MAX_IDLE, timeout: IDLE_MS }
  return {
    tls: { request: https.request, agent: new https.Agent(pooled) },
    plain: { request: http.request, agent: new http.Agent(pooled) },
  }
}

function only(addresses: readonly LookupAddress[]): LookupFunction {
  return (_, { all }, callback) => {
    const [first] = addresses
    if (all === true || first === undefined) callback(null, [...addresses])
    else callback(null, first.address, first.family)
  }
}

/** The status says it all; the rest is read away, up to a limit. */
async function settled(answer: IncomingMessage): Promise<PostOutcome> {
  const outcome = {
    kind: 'answered',
    status: answer.statusCode ?? 0,
    retryAfter: answer.headers['retry-after'] ?? null,
  } as const
  let length = 0
  return new Promise((resolve) => {
    const end = () => resolve(outcome)
    answer.on('data', (chunk: Uint8Array) => {
      length += chunk.byteLength
      if (length <= MAX_ANSWER) return
      answer.destroy()
      end()
    })
    answer.on('end', end)
    answer.on('close', end)
    answer.on('error', end)
  })
}

/** Rejects when the signal does. The name's resolution cannot be ended, only left. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
  })
}
