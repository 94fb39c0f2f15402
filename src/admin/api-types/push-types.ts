import type { ApplicationName } from './application-types.ts'

/**
 * `GET /api/applications/:id/pushes?before=N&limit=N`, the newest first. `limit` 1 to 200, default 50. A push by local
 * time is one.
 */
export interface PushesAnswer {
  readonly pushes: readonly PushSummary[]
  /** `before` of the next page; `null`: that was all. */
  readonly next: number | null
}

export interface PushSummary {
  readonly id: string
  readonly title: string | null
  /** What is shown of it; `null`: it shows nothing. */
  readonly msg: string | null
  /**
   * `held`: nothing but the application's hold keeps it back, and it can be cancelled; `scheduled`: it waits for its moment.
   * `paused`: all that is left waits; `reason` says for what.
   */
  readonly state: 'scheduled' | 'held' | 'sending' | 'paused' | 'finished' | 'cancelled'
  readonly reason: string | null
  /** For one device, or for many. */
  readonly many: boolean
  /** Devices addressed, taken by a gateway, given up, and without an outcome: `addressed` is the sum of the three. */
  readonly addressed: number
  readonly accepted: number
  readonly failed: number
  readonly waiting: number
  readonly opened: number
  readonly received: number
  /** Accepted a second. */
  readonly rate: number
  readonly createdAt: string
  /** `null`: at once. */
  readonly sendAt: string | null
  readonly startedAt: string | null
  readonly finishedAt: string | null
}

/**
 * `GET /api/pushes/:id/live`: server-sent events. `event: progress` whenever something has changed, at the most twice a
 * second, with a `PushSummary` and its application; after the last one `event: end`, without data, and the stream ends.
 * The page must then close the EventSource, which otherwise connects again.
 */
export interface PushProgressEvent extends PushSummary {
  readonly application: ApplicationName
}

/**
 * `POST /api/pushes/:id/resend`: once more to those that the push, which is over, has failed for: rejected, or expired. They
 * must be registered, and what the push asked for, still. `GET` of the same shows to whom it would go, as
 * `POST …/v1/push/preview` does. A `ConflictError` says why a push cannot be sent again.
 */
export interface ResendRequest {
  /** How many devices it is for: needed above the application's confirm-above. */
  readonly confirm?: number
}

export interface ResendAnswer {
  readonly message: 'Queued' | 'Scheduled'
  /** Of the new push. */
  readonly id: string
  /** ISO 8601, UTC: when it goes out, where the application holds pushes back. */
  readonly send_at?: string
}
