import { timingSafeEqual } from 'node:crypto'
import { hashSecret } from '../../application/secret.ts'
import { abortAfter, SECOND_MS } from '../../clock.ts'
import { beingMoved, failure, refusalIn } from '../../failure.ts'
import { createIdOf } from '../../http/admission.ts'
import { readRawBody } from '../../http/body.ts'
import { createCallerOf } from '../../http/client-address.ts'
import type { CallerOf } from '../../http/client-address.ts'
import { answerHeaders, refuse } from '../../http/failures.ts'
import { pathOf } from '../../http/path-table.ts'
import { isElsewhere } from '../../move/move-store.ts'
import type { Move, MoveStore } from '../../move/move-store.ts'
import { describeError } from '../../text/error-code.ts'
import type { Service } from '../service.ts'

const ANSWER_MS = 20 * SECOND_MS

/** Proves to the other server that `ADDRESS_HEADER` is from this one. */
const PROOF_HEADER = 'x-bellhop-move'
const ADDRESS_HEADER = 'x-bellhop-caller'

/** Headers of one connection (RFC 9110, 7.6.1), and those written again. */
const NOT_FORWARDED = `connection keep-alive proxy-connection te trailer transfer-encoding upgrade expect host
  content-length ${PROOF_HEADER} ${ADDRESS_HEADER}`.split(/\s+/)

interface Dependencies extends Pick<Service, 'config' | 'clock' | 'log'> {
  readonly moves: Pick<MoveStore, 'list' | 'secretOf'>
}

/** `null`: it is here, or unknown. */
export type AnswerElsewhere = (request: Request, address: () => string) => Response | Promise<Response> | null

export type Forwarding = ReturnType<typeof createForwarding>

/**
 * Calls of applications that are elsewhere: forwarded to the other server, or refused with 503 while neither answers.
 * Not redirected: clients must not take a secret to another host.
 */
export function createForwarding({ config, clock, log, moves }: Dependencies) {
  const idOf = createIdOf(config.headerPrefix ?? [])
  let byId = new Map<string, Move>()
  let byHook = new Map<string, Move>()
  /** Of the moves that brought applications here. */
  let digests: readonly Uint8Array[] = []

  function load(): void {
    const all = moves.list()
    const away = all.filter(isElsewhere)
    byId = new Map(away.map((move) => [move.id, move]))
    byHook = new Map(away.flatMap((move) => move.hooks.map((hook) => [hook, move])))
    digests = all.flatMap(({ phase, digest }) => (phase === 'here' && digest !== null ? [digest] : []))
  }

  function moveOf(request: Request): Move | undefined {
    const [, noun, name = ''] = pathOf(request.url).split('/')
    if (noun === 'hook') return byHook.get(name)
    return byId.get((noun === 'webpush' ? name : idOf(request.headers)) ?? '')
  }

  async function forward(request: Request, url: string, address: string, move: Move): Promise<Response> {
    const headers = new Headers(request.headers)
    for (const name of NOT_FORWARDED) headers.delete(name)
    const secret = moves.secretOf(move.id)
    const via = headers.get('via') ?? ''
    // RFC 9110, 7.6.3: this server's own name in it means a loop.
    const name = `bellhop-${Buffer.from(hashSecret(`${move.id} ${secret}`)).toString('hex', 0, 8)}`
    if (via.includes(name)) return unavailable('Two servers forward calls of this application to each other.')
    headers.set('via', `${via === '' ? '' : `${via}, `}1.1 ${name}`)
    if (secret !== null) {
      headers.set(PROOF_HEADER, secret)
      headers.set(ADDRESS_HEADER, address)
    }
    const { method } = request
    // Only path and query are the caller's.
    const from = request.url.indexOf('/', request.url.indexOf('://') + 3)
    const body = method === 'GET' || method === 'HEAD' ? null : await wholeBody(request)
    if (body instanceof Response) return body
    using limit = abortAfter(clock, ANSWER_MS)
    try {
      const answer = await fetch(url + request.url.slice(from), {
        method,
        headers,
        redirect: 'manual',
        decompress: false,
        signal: limit.signal,
        ...(body !== null && { body }),
      })
      const kept = new Headers(answer.headers)
      for (const each of NOT_FORWARDED) kept.delete(each)
      return new Response(await answer.bytes(), { status: answer.status, headers: kept })
    } catch (error) {
      log.warn('a call could not be forwarded to the server that has its application', {
        application: move.id,
        error: describeError(error),
      })
      return unavailable('The server that has this application does not answer: repeat the call.')
    }
  }

  function answer(request: Request, address: () => string): Response | Promise<Response> | null {
    if (byId.size === 0) return null
    const move = moveOf(request)
    if (move === undefined) return null
    const { phase, url } = move
    const isServedThere = phase === 'gone' || phase === 'arriving' || phase === 'arrived'
    if (url !== null && isServedThere) return forward(request, url, callerHere(address(), request.headers), move)
    const why = beingMoved()
    const own = answerHeaders(Bun.randomUUIDv7())
    return refuse({ ...why, headers: { ...own, ...why.headers, 'access-control-allow-origin': '*' } })
  }

  /** Trusts a server that an application came from about its callers. */
  function callerOf(own: CallerOf): CallerOf {
    return (peer, headers) => {
      const secret = digests.length === 0 ? null : headers.get(PROOF_HEADER)
      if (secret === null) return own(peer, headers)
      const digest = hashSecret(secret)
      const isKnown = digests.some((known) => timingSafeEqual(known, digest))
      return (isKnown ? headers.get(ADDRESS_HEADER) : null) ?? own(peer, headers)
    }
  }

  const callerHere = callerOf(createCallerOf({ trusted: config.trustedProxies, onStranger: () => {} }))
  load()
  return {
    /** Call after a commit that changed where an application is. */
    load,
    answer: answer satisfies AnswerElsewhere,
    callerOf,
  }
}

/** Or the answer to one that is too large. */
async function wholeBody(request: Request): Promise<Uint8Array | Response> {
  try {
    return await readRawBody(request)
  } catch (error) {
    return refuse(refusalIn(error))
  }
}

function unavailable(message: string): Response {
  const headers = { ...answerHeaders(Bun.randomUUIDv7()), 'retry-after': '5' }
  return refuse(failure('ServiceUnavailableError', message, headers))
}
