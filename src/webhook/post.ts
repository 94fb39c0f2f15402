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

interface HttpClient {
  readonly request: typeof request
  readonly agent: Agent
}

/** Name, connection and answer together. The least that Standard Webhooks recommends ("Request timeouts"). */
const TIMEOUT_MS = 15_000

/** Bytes of an answer that are read, so that a receiver can end it. */
const MAX_ANSWER = 64 * 1024

/** In ms: servers close after 5 s (Node's `keepAliveTimeout`, Apache's `KeepAliveTimeout`). */
const IDLE_MS = 4000
const MAX_IDLE = 16

const systemResolve = (host: string) => lookup(host, { all: true })

/**
 * Resolves the name itself, checks all its addresses, and connects to these and no others: a name that changes between
 * check and connection (DNS rebinding) leads nowhere. Without a proxy, which would resolve the name again. Follows no
 * redirects.
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
          // The receiver may have closed an idle connection just now, which is no failure: use a new one.
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

/** Loaded by the first event: every garbage collection visits a module's objects, and few services have webhooks. */
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

/** Reads the body, up to a limit, and drops it. */
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

/** Rejects when the signal does: resolving a name cannot be aborted. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
  })
}
