import type { Application } from '../application/application.ts'
import type { CredentialStore } from '../application/credential-store.ts'
import { createAudienceCount, createLocaleCount } from '../audience/audience-count.ts'
import type { WantedFilter } from '../audience/filter-schema.ts'
import type { Filter } from '../audience/filter.ts'
import type { Database } from '../database/database.ts'
import { Refused } from '../failure.ts'
import type { ApnsIdentity } from '../gateway/preview.ts'
import { sentBy } from '../notification/notification.ts'
import type { Notification } from '../notification/notification.ts'
import type { Platform } from '../platform.ts'
import { createReceiptStore } from '../stats/receipt-store.ts'
import { createEventStore } from '../webhook/event-store.ts'
import { createAccept } from './accept.ts'
import type { Acceptance } from './accept.ts'
import { createCancelStore } from './cancel-store.ts'
import type { Counting } from './counting.ts'
import { createFinishedStore } from './finished-store.ts'
import { createIdempotencyStore } from './idempotency-store.ts'
import { createSampler } from './preview/preview-store.ts'
import { createPreview } from './preview/preview.ts'
import { reaching } from './reached-platforms.ts'
import { createPushStore } from './push-store.ts'
import { checkSize } from './rendered-size.ts'
import { createResendStore } from './resend/resend-store.ts'
import { createResend } from './resend/resend.ts'
import { createScheduleStore } from './schedule/schedule-store.ts'
import { createShownStore } from './shown/shown-store.ts'
import { createTakeBack } from './shown/take-back.ts'

interface Options extends Acceptance {
  readonly database: Database
  /** `null`: no credential. */
  readonly apnsIdentity: (application: Application) => ApnsIdentity | null
  readonly credentials: Pick<CredentialStore, 'summaries'>
  /** Queues counts. Default: counts immediately. */
  readonly counting?: Counting
}

export type Pushing = ReturnType<typeof createPushing>

/** Everything about a push before it leaves, for the API and the command line. */
export function createPushing({ database, apnsIdentity, credentials, counting, ...acceptance }: Options) {
  const count = createAudienceCount({ database })
  const cancellations = createCancelStore({ database })
  const finished = createFinishedStore({ database, events: createEventStore({ database }) })

  const pushes = createPushStore({ database })
  const schedule = createScheduleStore({ database })
  const idempotency = createIdempotencyStore({ database })
  const accept = createAccept(acceptance, {
    pushes,
    schedule,
    idempotency,
    count: (application, filter, caller = NEVER) =>
      counting === undefined
        ? count(application, filter)
        : counting(application, caller, (signal) => count(application, filter, signal)),
  })

  /** The notification as these platforms get it. Throws `Refused` if it is too large. */
  function prepared(
    application: Application,
    wanted: Notification,
    platforms: readonly Platform[],
    what?: string,
  ): Notification {
    const notification = sentBy(application, wanted)
    const tooLarge = checkSize(notification, platforms, what)
    if (tooLarge !== null) throw new Refused(tooLarge)
    return notification
  }

  const preview = createPreview({
    clock: acceptance.clock,
    count,
    countLocales: createLocaleCount({ database }),
    sample: createSampler({ database }),
    passedZones: schedule.passedZones,
    prepared,
    apnsIdentity,
  })

  /** Also reports the cancellation. */
  function cancel(application: number, id: string, now: number): ReturnType<typeof cancellations.cancel> {
    const outcome = cancellations.cancel(application, id, now)
    if (outcome.kind === 'cancelled') finished.tellCancelled(application, id, now)
    return outcome
  }

  return {
    prepared,
    accept,
    preview,
    cancel,
    takeBack: createTakeBack({
      ...acceptance,
      store: createShownStore({ database }),
      receipts: createReceiptStore({ database }),
      pushes,
      idempotency,
      cancel,
      prepared,
    }),
    resend: createResend({ store: createResendStore({ database }), accept, preview, prepared }),

    /** See `reaching`. */
    reach: (application: Application, wanted: WantedFilter): Filter =>
      reaching(wanted, application, () => credentials.summaries(application)),
  }
}

const NEVER = new AbortController().signal
