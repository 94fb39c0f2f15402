import type { Application } from '../application/application.ts'
import type { CredentialStore } from '../application/credential-store.ts'
import { createAudienceCount } from '../audience/audience-count.ts'
import { createLocaleCount } from '../audience/locale-count.ts'
import type { WantedFilter } from '../audience/filter-schema.ts'
import type { Filter } from '../audience/filter.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Commit } from '../database/group-commit.ts'
import { previewApns, previewFcm, previewWebPush } from '../gateway/preview.ts'
import type { ApnsIdentity } from '../gateway/preview.ts'
import { apnsBytes } from '../notification/apns-render.ts'
import { fcmBytes, fcmIphoneBytes } from '../notification/fcm-render.ts'
import { webPushBytes } from '../notification/webpush-render.ts'
import { messageBytes } from '../gateway/webpush/encryption.ts'
import { createSizeCheck } from '../notification/rendered-size.ts'
import { createEventStore } from '../webhook/event-store.ts'
import { createAcceptance } from './accept.ts'
import { createCancelStore } from './cancel-store.ts'
import type { Counting } from './counting.ts'
import { createFinishedStore } from './finished-store.ts'
import { createIdempotencyStore } from './idempotency-store.ts'
import { createSampler } from './preview/preview-store.ts'
import { createPreview } from './preview/preview.ts'
import { createPushStore } from './push-store.ts'
import { reaching } from './reached-platforms.ts'
import { createResend } from './resend/resend.ts'
import { createResendStore } from './resend/resend-store.ts'
import { createScheduleStore } from './schedule/schedule-store.ts'

interface Dependencies {
  readonly database: Database
  readonly clock: Clock
  readonly commit: Commit
  /** By what APNs knows an application; `null` while there is no credential. */
  readonly apnsIdentity: (application: Application) => ApnsIdentity | null
  readonly credentials: Pick<CredentialStore, 'summaries'>
  /** Counts for the calls of a server, which are many. Default: at once. */
  readonly counting?: Counting
  /** Whether there is room on the disk for a push. Default: yes. */
  readonly hasRoom?: () => boolean
  /** Tells the delivery of the application that there is something to send. Default: the pool looks by itself. */
  readonly wake?: (application: number, push: number) => void
  /** Hears of a push that was accepted, to go out now or later. Default: nobody does. */
  readonly onAccepted?: (application: number, when: 'now' | 'later') => void
  /** Tells the schedule that something new waits. Default: the schedule looks by itself. */
  readonly wakeSchedule?: () => void
}

export type Pushing = ReturnType<typeof createPushing>

/** What can be done about a push before it leaves, for the API and for the command line. */
export function createPushing(deps: Dependencies) {
  const { database, clock, commit, apnsIdentity, credentials, counting, hasRoom } = deps
  const { wake = () => {}, wakeSchedule = () => {}, onAccepted = () => {} } = deps
  const count = createAudienceCount({ database })
  const checkSize = createSizeCheck(
    {
      0: apnsBytes,
      1: fcmBytes,
      2: (notification) => messageBytes(webPushBytes(notification)),
    },
    fcmIphoneBytes,
  )
  const cancellations = createCancelStore({ database })
  const finished = createFinishedStore({ database, events: createEventStore({ database }) })

  const store = createAcceptance({
    commit,
    clock,
    pushes: createPushStore({ database }),
    schedule: createScheduleStore({ database }),
    idempotency: createIdempotencyStore({ database }),
    count:
      counting === undefined
        ? count
        : (application: number, filter: Filter, caller = NEVER) =>
            counting(application, caller, (signal) => count(application, filter, signal)),
    wake,
    wakeSchedule,
    ...(hasRoom && { hasRoom }),
  })
  const accept: typeof store = async (application, request) => {
    const accepted = await store(application, request)
    onAccepted(application.number, accepted.message === 'Queued' ? 'now' : 'later')
    return accepted
  }
  const preview = createPreview({
    clock,
    checkSize,
    count,
    countLocales: createLocaleCount({ database }),
    sample: createSampler({ database }),
    render: {
      apns: (application, message, to) => previewApns(message, to, apnsIdentity(application)),
      fcm: previewFcm,
      webPush: previewWebPush,
    },
  })

  return {
    checkSize,

    /** Whom a push to many reaches: see `reaching`. */
    reach: (application: Application, wanted: WantedFilter): Filter =>
      reaching(wanted, application, () => credentials.summaries(application)),

    accept,
    preview,
    resend: createResend({ store: createResendStore({ database }), accept, preview, checkSize }),

    /** Calls a push off and tells of that, in a transaction of the caller. `now` in ms since the Unix epoch. */
    cancel: (application: number, id: string, now: number): ReturnType<typeof cancellations.cancel> => {
      const outcome = cancellations.cancel(application, id, now)
      if (outcome.kind === 'cancelled') finished.tellCancelled(application, id, now)
      return outcome
    },
  }
}

/** Of a caller that stays. */
const NEVER = new AbortController().signal
