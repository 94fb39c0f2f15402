import { Elysia } from 'elysia'
import { shownName } from '../audience/unknown-fields.ts'
import type { Clock } from '../clock.ts'
import type { Commit } from '../database/group-commit.ts'
import { failure, loggedAs, Refused } from '../failure.ts'
import type { Audited, Gate } from '../http/gate.ts'
import { endpoint } from '../http/endpoint.ts'
import { bodyOf, closed, invalid } from '../http/fields.ts'
import type { CancelStore } from './cancel-store.ts'
import type { SendingEnd } from './shown/take-back.ts'
import { CANCELLATION, ID_PARAMETER, NO_PUSH_FOUND, noPush } from './status/status-schema.ts'

interface Dependencies {
  readonly gate: Gate
  readonly audited: Audited
  readonly commit: Commit
  readonly clock: Clock
  readonly cancellations: Pick<CancelStore, 'cancel'>
  readonly deliveries: SendingEnd
  readonly compat?: boolean
}

const Nothing = bodyOf({})

/** Callers who name a platform or tag want to cancel only that part. */
const NothingElse = closed(Nothing, (name) => {
  const problem = 'is unknown here: a push can only be cancelled as a whole'
  return new Refused(loggedAs(invalid(shownName(name), problem).failure, `A field ${problem}.`))
})

export function cancelRoutes(deps: Dependencies) {
  const { gate, audited, commit, clock, cancellations, deliveries, compat = false } = deps

  async function cancel(application: number, id: string) {
    const cancelled = await commit(() => {
      const outcome = cancellations.cancel(application, id, clock.now())
      if (outcome.kind === 'cancelled') for (const push of outcome.open) deliveries.cancelStored(application, push)
      return outcome
    })
    switch (cancelled.kind) {
      case 'not-found':
        throw noPush()
      case 'finished': {
        const { t, s } = cancelled
        throw new Refused(failure('ConflictError', `The push has finished: ${s} of ${t} devices were sent to.`))
      }
      case 'cancelled': {
        const { wasReleased, open, t, s } = cancelled
        for (const push of open) deliveries.cancel(application, push)
        return { message: 'Cancelled', state: wasReleased ? 'sending' : 'scheduled', t, s }
      }
    }
  }

  return new Elysia({ name: 'cancel-routes' }).use(gate.plugin).post(
    '/push/:id/cancel',
    ({ params, application, request }) => {
      const id = params.id.toLowerCase()
      const call = { application, request, action: 'cancel', detail: { push: id } }
      return audited(call, () => cancel(application.number, id))
    },
    {
      body: compat ? Nothing : NothingElse,
      detail: endpoint({
        tag: 'Pushes',
        summary: 'Cancel a push',
        description:
          'One that waits is never sent. One that is being sent stops: what is on its way is still answered and counted, and nobody else gets it. `state` is what it was, `scheduled` or `sending`; `t` devices were addressed, as far as they are counted, and `s` accepted by the gateways so far. To cancel again changes nothing.',
        secret: true,
        parameters: [ID_PARAMETER],
        answers: {
          200: {
            description: 'Cancelled durably.',
            schema: CANCELLATION,
          },
        },
        failures: {
          404: 'ResourceNotFound: there is no such push.',
          409: 'ConflictError: the push has already finished.',
        },
        sentences: { ...NO_PUSH_FOUND, ConflictError: 'The push has finished: 12300 of 12345 devices were sent to.' },
      }),
    },
  )
}
