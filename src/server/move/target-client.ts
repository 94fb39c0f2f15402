import { abortAfter, SECOND_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import type { MoveOffer, MoveRequest, MoveStep } from '../../move/move-messages.ts'
import { MOVE_SECRET } from '../../move/move-messages.ts'
import { codeOf, messageOf } from '../../text/error-code.ts'
import { parseJsonObject } from '../../text/json-object.ts'

/** An offer may have to erase an earlier copy first. */
const OFFER_MS = 120 * SECOND_MS
const STEP_MS = 30 * SECOND_MS

/** `status` 0: no answer, or an unreadable one. */
interface Said {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly problem: string
}

/** `origin`: the admin address that an administrator has given. */
export function createTargetClient(clock: Clock, origin: string) {
  async function call(path: string, bearer: string, body: string, limitMs: number): Promise<Said> {
    using limit = abortAfter(clock, limitMs)
    try {
      const response = await fetch(origin + path, {
        method: 'POST',
        // The token is for this server only.
        redirect: 'manual',
        signal: limit.signal,
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body,
      })
      const { status } = response
      const answer = parseJsonObject(await response.text()) ?? {}
      const { message } = answer
      return { status, body: answer, problem: typeof message === 'string' ? message : `it answered ${status}` }
    } catch (error) {
      return { status: 0, body: {}, problem: codeOf(error) ?? messageOf(error) }
    }
  }

  return {
    /** `token`: of an administrator of the other server. */
    async offer(request: MoveRequest, token: string): Promise<MoveOffer | Problem> {
      const said = await call('/api/arrivals', token, JSON.stringify(request), OFFER_MS)
      const { secret, publicKey, url } = said.body
      if (said.status === 404 || said.status === 405) {
        return problem(`${origin} is an older Bellhop, which cannot take applications, or not an admin address.`)
      }
      if (said.status === 401) return problem(`${origin} refused this token: ${said.problem}`)
      if (said.status !== 200) return problem(`${origin} does not take the application: ${said.problem}`)
      const isOffer = typeof secret === 'string' && MOVE_SECRET.test(secret) && typeof url === 'string'
      if (!isOffer || !URL.canParse(url) || typeof publicKey !== 'object' || publicKey === null) {
        return problem(`${origin} answered with something else than an offer.`)
      }
      return { secret, publicKey, url: new URL(url).origin }
    },

    /** `gone`: the other server does not know this move. */
    async step(step: MoveStep, secret: string): Promise<{ readonly kind: 'done' | 'gone' } | Problem> {
      const said = await call('/api/arrival', secret, JSON.stringify(step), STEP_MS)
      if (said.status === 200) return { kind: 'done' }
      if (said.status === 404) return { kind: 'gone' }
      return problem(`${origin} does not go on: ${said.problem}`)
    },
  }
}

export async function answersCalls(clock: Clock, url: string): Promise<boolean> {
  using limit = abortAfter(clock, STEP_MS)
  try {
    const response = await fetch(`${url}/healthz`, { redirect: 'manual', signal: limit.signal })
    return parseJsonObject(await response.text())?.['status'] === 'ok'
  } catch {
    return false
  }
}
