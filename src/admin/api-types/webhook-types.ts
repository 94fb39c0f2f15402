import type { ApplicationName } from './application-types.ts'

/** `GET /api/webhooks`: of all applications that have one. */
export interface WebhooksAnswer {
  readonly webhooks: readonly WebhookView[]
}

export interface WebhookView {
  readonly application: ApplicationName
  readonly url: string
  readonly events: readonly string[]
  /** When the receiver answered 410 Gone; `null`: it has not. */
  readonly disabledAt: string | null
  /** Events that are not delivered yet. What was delivered is not kept. */
  readonly waiting: number
  /** The first 20 of them, in the order in which they are due. */
  readonly next: readonly {
    readonly id: string
    readonly type: string
    /** Tries so far. */
    readonly attempts: number
    readonly createdAt: string
    readonly dueAt: string
  }[]
}

/** `GET /api/applications/:id/webhook`; `DELETE` answers so too. `null`: there is none. */
export interface WebhookAnswer {
  readonly webhook: Pick<WebhookView, 'url' | 'events' | 'disabledAt'> | null
}

/** `PUT /api/applications/:id/webhook`: what is left out stays as it is. What waits is due at once. */
export interface WebhookRequest {
  /** https, or http to a private address; needed where there is no webhook yet. */
  readonly url?: string
  /** `push.finished`, `push.opened`, `device.gone`, `credential.paused`, `credential.resumed`. Default all but `push.opened`. */
  readonly events?: readonly string[]
  /** `new`: another one is made. Else `whsec_` and base64. Default: the one there is, or a new one. */
  readonly secret?: string
}

export interface NewWebhookAnswer extends WebhookAnswer {
  /** One that was made is in this answer and nowhere else; `null`: none was. */
  readonly secret: string | null
  /** Its address is private: the service sends there only with `--webhook-private`. */
  readonly isPrivate: boolean
}

/** `POST /api/applications/:id/webhook/retry`: all that waits is due at once. */
export interface WebhookRetryAnswer {
  readonly waiting: number
}
