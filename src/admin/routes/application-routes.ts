import { Elysia } from 'elysia'
import type { ApplicationStore } from '../../application/application-store.ts'
import type { Application } from '../../application/application.ts'
import { SECOND_MS, within } from '../../clock.ts'
import { failure, Refused } from '../../failure.ts'
import { invalid } from '../../http/fields.ts'
import { isElsewhere, whereText } from '../../move/move-store.ts'
import type { MoveStore } from '../../move/move-store.ts'
import { isoOrNull } from '../../text/format.ts'
import { adminCall } from '../admin-endpoint.ts'
import {
  ApplicationAnswer,
  ApplicationsAnswer,
  DeleteApplicationAnswer,
  NewApplicationAnswer,
  NewSecretAnswer,
} from '../api-types/application-types.ts'
import { known } from '../administrator.ts'
import type { Actor } from '../administrator.ts'
import { applicationNamed, NO_APPLICATION } from '../application-fields.ts'
import { ChangeLimits, DeleteApplication, NewApplication, RotateSecret, Simulate } from '../application-schema.ts'
import type { RealThings } from '../real-things-store.ts'
import type { ApplicationView } from '../view/application-view.ts'
import { shownWebhook } from '../view/webhook-address.ts'
import type { AdminParts } from './admin-parts.ts'

/** How long a call waits for an erasure. The listener closes connections after 30 s of silence. */
const ERASURE_MS = 20_000

interface Dependencies extends AdminParts {
  readonly applications: ApplicationStore
  readonly view: ApplicationView
  readonly realThings: RealThings
  readonly moves: Pick<MoveStore, 'list'>
  readonly eraseContents: (application: number) => Promise<void>
  /** Of erasures in the background. */
  readonly onError: (error: unknown) => void
}

export function applicationRoutes(deps: Dependencies) {
  const { gate, clock, commit, directory, applications, view, log } = deps
  /** By number. */
  const erasing = new Set<number>()
  const named = (id: string) => applicationNamed(directory, id)

  function changed(
    outcome: { readonly kind: 'changed'; readonly application: Application } | { readonly kind: 'not-found' },
  ) {
    directory.reload()
    if (outcome.kind === 'not-found') throw new Refused(NO_APPLICATION)
    return view.whole(outcome.application)
  }

  async function erase({ number, id, name }: Application, by: Actor): Promise<void> {
    erasing.add(number)
    try {
      const entry = await commit(() => log.add(by, 'delete application', id, { name }, { result: 'started' }))
      await deps.eraseContents(number)
      await commit(() => {
        const changes = log.watch(id)
        applications.remove(id)
        log.end(entry, { changes: changes() })
      })
      directory.reload()
    } finally {
      erasing.delete(number)
    }
  }

  return new Elysia({ name: 'application-routes' })
    .use(gate)
    .get(
      '/api/applications',
      (): ApplicationsAnswer => ({
        applications: view.summaries(directory.all()),
        elsewhere: deps.moves
          .list()
          .filter(isElsewhere)
          .map((move) => ({ id: move.id, name: move.name, where: whereText(move) })),
      }),
      adminCall('Applications', 'All applications, in order of creation', { answer: ApplicationsAnswer }),
    )
    .post(
      '/api/applications',
      async ({ change, body: { name, simulate = false } }): Promise<NewApplicationAnswer> => {
        const outcome = await change('', (note) => {
          const created = applications.create(name)
          if (created.kind !== 'created') return created
          const { id } = created.application
          if (simulate) applications.setSimulated(id, true)
          note({ subject: id, detail: { name, simulate } })
          return created
        })
        if (outcome.kind === 'name-invalid') {
          throw invalid(
            'name',
            'must be 1 to 100 characters, without control characters and without white space at an end',
          )
        }
        if (outcome.kind === 'name-taken') {
          throw new Refused(failure('ConflictError', 'name is taken by another application.'))
        }
        directory.reload()
        const { application, secret } = outcome
        return { id: application.id, name: application.name, secret }
      },
      adminCall('Applications', 'Create an application. Only this answer contains its secret', {
        action: 'create application',
        answer: NewApplicationAnswer,
        body: NewApplication,
      }),
    )
    .get(
      '/api/applications/:id',
      ({ actor, params }) => {
        const { webhook, ...rest } = view.whole(named(params.id))
        return { ...rest, webhook: webhook && shownWebhook(webhook, actor) }
      },
      adminCall('Applications', 'One, with its limits, credentials and quota', { answer: ApplicationAnswer }),
    )
    .patch(
      '/api/applications/:id',
      async ({ change, params, body }) => {
        const { id } = named(params.id)
        return changed(await change(id, () => applications.setLimits(id, body)))
      },
      adminCall('Applications', 'Change limits. Omitted ones stay unchanged', {
        action: 'change limits',
        answer: ApplicationAnswer,
        body: ChangeLimits,
      }),
    )
    .post(
      '/api/applications/:id/rotate-secret',
      async ({ change, params, body: { overlapSeconds = 0 } }): Promise<NewSecretAnswer> => {
        const { id } = named(params.id)
        const rotate = () => applications.rotateSecret(id, overlapSeconds * SECOND_MS)
        const outcome = await change(id, rotate, { overlapSeconds })
        directory.reload()
        if (outcome.kind === 'not-found') throw new Refused(NO_APPLICATION)
        const { secret, previousUntil } = outcome
        return { secret, previousUntil: isoOrNull(previousUntil) }
      },
      adminCall('Applications', 'Rotate the secret, revoking the old one now or after an overlap', {
        action: 'rotate secret',
        answer: NewSecretAnswer,
        body: RotateSecret,
      }),
    )
    .post(
      '/api/applications/:id/simulate',
      async ({ change, params, body: { simulate, confirm = false } }) => {
        const application = named(params.id)
        const { id } = application
        const real = simulate && !application.simulated && !confirm ? deps.realThings(application) : null
        if (real !== null) {
          throw new Refused(
            failure(
              'ConflictError',
              `It has ${real.things.join(', ')}: what waits would go to the simulator and reach no phone, and devices whose tokens it does not like would leave the audience.${real.hasBrowsers ? ' Browsers are not affected.' : ''} With confirm it is done.`,
            ),
          )
        }
        return changed(await change(id, () => applications.setSimulated(id, simulate)))
      },
      adminCall('Applications', 'Turn the built-in simulator on or off', {
        action: 'simulate',
        answer: ApplicationAnswer,
        body: Simulate,
      }),
    )
    .delete(
      '/api/applications/:id',
      async ({ actor, params, body }): Promise<DeleteApplicationAnswer> => {
        const by = known(actor)
        const application = named(params.id)
        const { number, name } = application
        if (body.name !== name) throw invalid('name', 'must be the name of the application, as it is')
        if (erasing.has(number)) throw new Refused(failure('ConflictError', 'It is already being deleted.'))
        const erased = erase(application, by)
        const state = await within(
          clock,
          ERASURE_MS,
          erased.then(() => 'erased' as const),
          'erasing' as const,
        )
        if (state === 'erasing') erased.catch(deps.onError)
        return { state }
      },
      adminCall('Applications', 'Delete an application and everything in it; repeat its name to confirm', {
        action: 'delete application',
        answer: DeleteApplicationAnswer,
        body: DeleteApplication,
      }),
    )
}
