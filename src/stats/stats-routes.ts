import { Elysia } from 'elysia'
import type { Clock } from '../clock.ts'
import type { Commit } from '../database/group-commit.ts'
import { doneAnswer } from '../http/answer-schema.ts'
import { described, endpoint } from '../http/endpoint.ts'
import type { Gate } from '../http/gate.ts'
import { ANALYTICS, RecordOpen } from './stats-schema.ts'
import type { StatsStore } from './stats-store.ts'

interface Dependencies {
  readonly gate: Gate
  readonly commit: Commit
  readonly clock: Clock
  readonly stats: Pick<StatsStore, 'opened' | 'analytics'>
}

/** Endpoints 14 and 15. */
export function statsRoutes({ gate, commit, clock, stats }: Dependencies) {
  return new Elysia({ name: 'stats-routes' })
    .use(gate.plugin)
    .put(
      '/stats',
      async ({ body, application }) => {
        const { platform, id, token } = body
        await commit(() => stats.opened(application.number, platform, clock.now(), id, token))
        return { message: 'Open recorded' }
      },
      described({
        tag: 'Analytics',
        summary: 'Record an opened push',
        description:
          'With the `id` of a push (or `aid`), which its payload carries as `bellhop.push`, the open also counts for that push; any other id is ignored, and the open counts for the day. With the `token` of the device besides, `GET /push/{id}/device` knows of it.',
        idAlone: { can: 'add to the opens, of the application and of a push', cannot: 'read the counts' },
        body: RecordOpen,
        example: { platform: '0', id: '019a9f7e-3c1b-7000-8000-000000000000' },
        answers: doneAnswer('Open recorded'),
        failures: { 409: 'MissingParameter' },
      }),
    )
    .get('/analytics', ({ application }) => stats.analytics(application.number), {
      detail: endpoint({
        tag: 'Analytics',
        summary: 'Push analytics',
        description:
          '`t` notifications addressed, one for each device of each push; `s` accepted by APNs or FCM (which is not the same as shown); `o` opens recorded.',
        secret: true,
        answers: { 200: { description: 'The counts.', schema: ANALYTICS, example: { t: 1200, o: 310, s: 1188 } } },
      }),
    })
}
