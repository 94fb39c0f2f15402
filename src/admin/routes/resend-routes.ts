import { Elysia } from 'elysia'
import { bodyOf } from '../../http/fields.ts'
import type { Counting } from '../../push/counting.ts'
import { digestOf, keyOf } from '../../push/idempotency-schema.ts'
import { PREVIEW } from '../../push/preview/preview-schema.ts'
import type { Resend } from '../../push/resend/resend.ts'
import { lifeFields } from '../../push/schedule/timing-schema.ts'
import type { ProgressStore } from '../../push/status/progress-store.ts'
import { adminCall } from '../admin-endpoint.ts'
import { ResendAnswer } from '../api-types/push-types.ts'
import { known } from '../administrator.ts'
import type { CallLog } from '../call-log.ts'
import { applicationOfPush } from '../application-fields.ts'
import { knownOnly } from '../application-schema.ts'
import type { AdminParts } from './admin-parts.ts'

const ResendBody = knownOnly(bodyOf({ confirm: lifeFields.confirm }))

interface Dependencies extends AdminParts {
  readonly progress: Pick<ProgressStore, 'named'>
  readonly counting: Counting
  readonly resend: Resend
  readonly calls: Pick<CallLog, 'during'>
}

export function resendRoutes({ gate, directory, progress, counting, resend, calls }: Dependencies) {
  return new Elysia({ name: 'resend-routes' })
    .use(gate)
    .get(
      '/api/pushes/:id/resend',
      ({ params, request }) => {
        const id = params.id.toLowerCase()
        const application = applicationOfPush(directory, progress, id)
        return counting(application.number, request.signal, (signal) => resend.look(application, id, signal))
      },
      adminCall('Pushes', 'To whom a push would go that is sent again to those it failed for, and what would be sent', {
        answer: PREVIEW,
      }),
    )
    .post(
      '/api/pushes/:id/resend',
      ({ actor, params, body, request }): Promise<ResendAnswer> => {
        const by = known(actor)
        const id = params.id.toLowerCase()
        const application = applicationOfPush(directory, progress, id)
        const { confirm = null } = body
        const key = keyOf(request.headers)
        const repeat =
          key === null ? null : { key, digest: digestOf(`POST /push/${id}/resend`, body, ['confirm']), replace: false }
        const wanted = { id, confirm, repeat, caller: request.signal }
        const call = { by, action: 'resend', subject: application.id, detail: { push: id } }
        return calls.during(call, () => resend.send(application, wanted))
      },
      adminCall('Pushes', 'Resend a push to the devices it failed for', {
        action: 'resend',
        answer: ResendAnswer,
        body: ResendBody,
      }),
    )
}
