import { lookup } from 'node:dns/promises'
import type { LookupAddress } from 'node:dns'
import type { Agent, IncomingMessage, request } from 'node:http'
import type { LookupFunction } from 'node:net'
import { abortAfter } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { addressIn } from '../network/special-networks.ts'
import { codeOf } from '../text/error-code.ts'
import { refusal } from './address-guard.ts'

export type PostOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: string | null }
  | { readonly kind: 'failed'; readonly reason: string }

/** Never throws. Aborting `signal` ends the try. */
export type Post = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
) => Promise<PostOutcome>

interface Options {
  readonly clock: Pick<Clock, 'after'>
  /** PEM. `undefined`: use the system's. */
  readonly ca: string | undefined
  /** Allow receivers outside the public internet. */
  readonly allowPrivate: boolean
  /** Default: the system's resolver. */
  readonly resolve?: (host: string) => Promise<readonly LookupAddress[]>
}

interface HttpClient {
  readonly request: typeof request
  readonly agent: Agent
}

/** For lookup, connection and answer. The minimum in Standard Webhooks ("Request timeouts"). */
const TIMEOUT_MS = 15_000

/** Bytes of an answer to read, so that the receiver can finish it. */
const MAX_ANSWER = 64 * 1024

/** Below the 5 s after which servers close (`keepAliveTimeout` in Node, `KeepAliveTimeout` in Apache). */
const IDLE_MS = 4000
const MAX_IDLE = 16

const systemResolve = (host: string) => lookup(host, { all: true })

/**
 * Resolves the name once, checks all its addresses, and connects only to these: DNS rebinding leads nowhere. Uses no
 * proxy, which would resolve the name again, and follows no redirects.
 */
export function createPost({ clock, ca, allowPrivate, resolve = systemResolve }: Options): Post {
  let clients: ReturnType<typeof loadClients> | null = null

  async function addressesOf(url: URL): Promise<readonly LookupAddress[]> {
    const address = addressIn(url)
    if (address === null) return resolve(url.hostname)
    return [{ address, family: address.includes(':') ? 6 : 4 }]
  }

  const attempt: Post = async (address, headers, body, signal) => {
    const url = new URL(address)
    const found = await addressesOf(url)
    const addresses = found.map(({ address }) => address)
    const refused = refusal(url, addresses, allowPrivate)
    if (refused !== null) return { kind: 'failed', reason: refused }
    const { tls, plain } = await (clients ??= loadClients())
    signal.throwIfAborted()
    const { request, agent } = url.protocol === 'https:' ? tls : plain
    const options = {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      lookup: only(found),
      signal,
      ...(ca !== undefined && { ca }),
    }

    function postOnce(by: Agent | false): Promise<PostOutcome> {
      return new Promise((resolvePost, reject) => {
        const sent = request(url, { ...options, agent: by }, (answer) => void settled(answer).then(resolvePost))
        sent.on('error', (error) => {
          // The receiver may have just closed an idle connection: retry on a new one.
          if (sent.reusedSocket && !signal.aborted) resolvePost(postOnce(false))
          else reject(error)
        })
        sent.end(body)
      })
    }
    return postOnce(agent)
  }

  return async (url, headers, body, signal) => {
    using deadline = abortAfter(clock, TIMEOUT_MS)
    const either = AbortSignal.any([signal, deadline.signal])
    try {
      return await Promise.race([attempt(url, headers, body, either), aborted(either)])
    } catch (error) {
      // Not the message, which may quote the address.
      return { kind: 'failed', reason: deadline.signal.aborted ? 'no answer in time' : (codeOf(error) ?? 'failed') }
    }
  }
}

/** Loaded with the first event: every garbage collection visits a module's objects, and few services have webhooks. */
async function loadClients(): Promise<Record<'tls' | 'plain', HttpClient>> {
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

/** Reads the body up to a limit, and drops it. */
async function settled(answer: IncomingMessage): Promise<PostOutcome> {
  let length = 0
  return new Promise((resolve) => {
    const { statusCode: status = 0, headers } = answer
    const end = () => resolve({ kind: 'answered', status, retryAfter: headers['retry-after'] ?? null })
    answer.on('data', (chunk: Uint8Array) => {
      length += chunk.byteLength
      if (length <= MAX_ANSWER) return
      answer.destroy()
      end()
    })
    for (const over of ['end', 'close', 'error']) answer.on(over, end)
  })
}

/** Rejects on abort, since a lookup can't be aborted. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
  })
}
