import { Elysia } from 'elysia'
import type { Application } from '../application/application.ts'
import type { Clock } from '../clock.ts'
import type { Commit } from '../database/group-commit.ts'
import { doneAnswer } from '../http/answer-schema.ts'
import { described, endpoint } from '../http/endpoint.ts'
import type { Gate } from '../http/gate.ts'
import type { Platform } from '../platform.ts'
import type { Receipt, ReceiptEvent } from './receipt.ts'
import { ANALYTICS, RecordReceipt } from './stats-schema.ts'
import type { StatsStore } from './stats-store.ts'

interface Dependencies {
  readonly gate: Gate
  readonly commit: Commit
  readonly clock: Clock
  readonly stats: Pick<StatsStore, 'record' | 'analytics'>
  /** Runs in the commit; its result is called after that. */
  readonly clear: (application: Application, platform: Platform, receipt: Receipt) => (() => void) | null
  /** Not for repetitions. */
  readonly counted: (application: number, event: ReceiptEvent) => void
}

export function statsRoutes({ gate, commit, clock, stats, clear, counted }: Dependencies) {
  return new Elysia({ name: 'stats-routes' })
    .use(gate.plugin)
    .put(
      '/stats',
      async ({ body, application }) => {
        const { platform, receipt, clears } = body
        const { isNew, send } = await commit(() => {
          // First: only the first tap clears.
          const send = clears ? clear(application, platform, receipt) : null
          return { isNew: stats.record(application.number, platform, receipt, clock.now()), send }
        })
        if (isNew) counted(application.number, receipt.event)
        send?.()
        return { message: receipt.event === 'opened' ? 'Open recorded' : 'Receipt recorded' }
      },
      described({
        tag: 'Analytics',
        summary: 'Record an opened or received push',
        description:
          '`event` says what: `opened`, `received` (by the notification service extension, or the messaging service) or `action`, with its name in `action`. With the `id` of a push (or `aid`), which its payload carries as `bellhop.push`, it counts for that push; any other id is ignored, and what was opened or received counts for the day. With the `token` of the device besides, `GET /push/{id}/device` knows of it, and it counts once: the same again changes nothing. With `clear`, a tap also removes the notification from the other phones of the same user that were sent it.',
        idAlone: {
          can: 'add to what is reported, of the application and of a push; with the token of a device that was sent it, also remove a notification from the other phones of its user',
          cannot: 'read the counts',
        },
        body: RecordReceipt,
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
          '`t` notifications addressed, one for each device of each push; `s` accepted by APNs, FCM or a push service (which is not the same as shown); `o` opens recorded.',
        secret: true,
        answers: { 200: { description: 'The counts.', schema: ANALYTICS } },
      }),
    })
}
