import { Elysia } from 'elysia'
import { failure, Refused } from '../../failure.ts'
import { jsonObjectOf, readRawBody } from '../../http/body.ts'
import { bodyOf, describedAs, fieldOf, required, wholeNumber } from '../../http/fields.ts'
import type { Body, JsonSchema } from '../../http/fields.ts'
import { MAX_STEP_BYTES, MOVE_SECRET } from '../../move/move-messages.ts'
import type { MoveOffer, MoveRequest, MoveStep, OrRefusal } from '../../move/move-messages.ts'
import type { Move } from '../../move/move-store.ts'
import { adminCall } from '../admin-endpoint.ts'
import { known } from '../administrator.ts'
import type { AdminParts } from './admin-parts.ts'

interface TakesApplications {
  offer(request: MoveRequest): Promise<OrRefusal<MoveOffer>>
  moveOf(secret: string): Move | null
  take(move: Move, step: MoveStep): Promise<OrRefusal<object>>
}

interface Dependencies extends AdminParts {
  readonly arrivals: TakesApplications
}

const MAX = Number.MAX_SAFE_INTEGER

const text = fieldOf({ type: 'string', minLength: 1, maxLength: 200 }, 'a string of at most 200 characters', (value) =>
  typeof value === 'string' && value.length <= 200 ? value : undefined,
)

const names = fieldOf({ type: 'array', items: { type: 'string' } }, 'a list of names', (value) =>
  Array.isArray(value) && value.every((name) => typeof name === 'string') ? value : undefined,
)

const NewArrival: Body<MoveRequest> = bodyOf({
  schema: required(describedAs('The number of the last migration: the same here.', wholeNumber(1, MAX))),
  version: required(text),
  id: required(text),
  name: required(text),
  hooks: required(names),
  bytes: required(describedAs('What its rows take, about.', wholeNumber(0, MAX))),
})

const OFFER: JsonSchema = {
  type: 'object',
  required: ['secret', 'publicKey', 'url'],
  properties: {
    secret: { type: 'string', description: 'Proves the steps that follow.' },
    publicKey: {
      type: 'object',
      description: 'X25519, as a JWK: for the key that what is sealed travels with.',
      properties: { kty: { type: 'string' }, crv: { type: 'string' }, x: { type: 'string' } },
    },
    url: { type: 'string', description: 'Where calls of the application are answered.' },
  },
}

const STEPS = new Set<unknown>(['begin', 'rows', 'complete', 'activate', 'drop'] satisfies MoveStep['step'][])

/** For the server that an application leaves by `bellhop app move`. */
export function arrivalRoutes({ gate, commit, log, arrivals }: Dependencies) {
  return new Elysia({ name: 'arrival-routes' })
    .use(gate)
    .post(
      '/api/arrivals',
      async ({ actor, body }): Promise<MoveOffer> => {
        const { id, name } = body
        const entry = await commit(() =>
          log.add(known(actor), 'receive application', id, { name }, { result: 'started' }),
        )
        const offered = await arrivals.offer(body)
        const isRefused = 'why' in offered
        const end = isRefused ? { result: 'refused' as const, code: offered.why.code } : {}
        await commit(() => log.end(entry, end))
        if (isRefused) throw new Refused(offered.why)
        return offered
      },
      adminCall('Applications', 'Offer to take an application from another server', {
        action: 'receive application',
        answer: OFFER,
        body: NewArrival,
      }),
    )
    .post(
      '/api/arrival',
      async ({ request }): Promise<object> => {
        const secret = /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? ''
        const move = MOVE_SECRET.test(secret) ? arrivals.moveOf(secret) : null
        // Before reading the body, which may be large.
        if (move === null) throw new Refused(failure('ResourceNotFound', 'There is no such move.'))
        const step = jsonObjectOf(await readRawBody(request, MAX_STEP_BYTES), request.headers)
        if (!STEPS.has(step['step'])) {
          throw new Refused(failure('InvalidArgument', `step must be one of ${[...STEPS].join(', ')}.`))
        }
        const taken = await arrivals.take(move, step as unknown as MoveStep)
        if ('why' in taken) throw new Refused(taken.why)
        return taken
      },
      adminCall('Applications', 'A step of a move, proven by its secret', { isLook: true, answer: { type: 'object' } }),
    )
}
