import { Elysia } from 'elysia'
import type { Alert } from '../../alert/alert.ts'
import { failure, Refused } from '../../failure.ts'
import { isoOrNull } from '../../text/format.ts'
import { adminCall } from '../admin-endpoint.ts'
import { known } from '../administrator.ts'
import { AlertsAnswer } from '../api-types/alert-types.ts'
import type { AdminParts } from './admin-parts.ts'

interface Dependencies extends AdminParts {
  readonly alerts: {
    readonly list: () => readonly Alert[]
    readonly find: (called: string) => Alert | null
    /** Why the test message failed; `null`: delivered. */
    readonly test: (alert: Alert) => Promise<string | null>
  }
}

/** Commands create and delete alerts. */
export function alertRoutes({ gate, commit, log, alerts }: Dependencies) {
  const answer = (): AlertsAnswer => ({
    alerts: alerts.list().map(({ name, channel, place, kinds, toldAt, problem }) => ({
      name,
      channel,
      place,
      kinds,
      toldAt: isoOrNull(toldAt),
      problem,
    })),
  })

  return new Elysia({ name: 'alert-routes' })
    .use(gate)
    .get('/api/alerts', answer, adminCall('Service', 'Alerts, and whether messages arrive', { answer: AlertsAnswer }))
    .post(
      '/api/alerts/:alert/test',
      async ({ params, actor }) => {
        const by = known(actor)
        const alert = alerts.find(params.alert)
        if (alert === null) throw new Refused(failure('ResourceNotFound', 'No alert found'))
        await commit(() => log.add(by, 'test alert', alert.name))
        await alerts.test(alert)
        return answer()
      },
      adminCall('Service', 'Send a test message. `problem` says why it was not taken', {
        action: 'test alert',
        answer: AlertsAnswer,
      }),
    )
}
