/*
 * What the admin API answers, and takes: everything below is JSON, times are ISO 8601 in UTC, and `:id` of an application
 * is its public id (`app_…`). The path and the method stand above each. Every answer that is no success is a `Refusal`.
 *
 * `/api/applications/:id/v1/…` is the public API itself on behalf of the application, with the secret's rights: no
 * headers but `Idempotency-Key`, and `token`, `platform` where an endpoint names a device by them. Its paths, shapes
 * and codes are those of `/openapi.json` of the public listener (without `--compat`).
 */
export interface Refusal {
  /** `InvalidArgument`, `ResourceNotFound` … */
  readonly code: string
  /** One sentence. It begins with the name of the field where one is at fault: `quota must be …`. */
  readonly message: string
}

export type ProviderName = 'apns' | 'fcm' | 'webpush'

/** `GET /api/session`; also what signs in and out answers. */
export interface SessionAnswer {
  /** `null`: nobody is signed in, or a token is. */
  readonly administrator: { readonly name: string } | null
  readonly token: { readonly name: string } | null
  /** Whether there is any administrator. */
  readonly isSetUp: boolean
  readonly version: string
}

/** `POST /api/link/look {link}` */
export interface LinkAnswer {
  readonly kind: 'setup' | 'sign-in'
  /** Whose; `null` of `setup`. */
  readonly name: string | null
  readonly expiresAt: string
}

/** `GET /api/administrators` */
export interface AdministratorsAnswer {
  readonly administrators: readonly {
    readonly name: string
    readonly createdAt: string
    /** `null`: no session of theirs is left. */
    readonly seenAt: string | null
  }[]
}

/** `POST /api/administrators`: `link` goes behind the `#` of `/setup`. */
export interface NewLinkAnswer {
  readonly link: string
  readonly expiresAt: string
}

/** `GET /api/tokens` */
export interface TokensAnswer {
  readonly tokens: readonly { readonly name: string; readonly createdAt: string; readonly usedAt: string | null }[]
}

/** `POST /api/tokens {name}`: the token is in this answer and nowhere else. */
export interface NewTokenAnswer {
  readonly name: string
  readonly token: string
}

/** `GET /api/log?before=N&limit=N`, the last first. */
export interface AdminLogAnswer {
  readonly entries: readonly {
    readonly number: number
    readonly at: string
    /** `administrator ann`, `token ci`, `command`. */
    readonly who: string
    readonly action: string
    /** What it was done to; `''`: nothing in particular. Of an application its id. */
    readonly subject: string
    readonly detail: Readonly<Record<string, unknown>>
  }[]
  /** `before` of the next page; `null`: that was all. */
  readonly next: number | null
}

/** `GET /api/overview` */
export interface OverviewAnswer {
  readonly version: string
  /** Where the public API listens; behind a proxy it has another name. */
  readonly url: string
  /** The last 30 days (UTC) in order, also those on which nothing was. */
  readonly days: readonly OverviewDay[]
  readonly devices: OverviewDevices
  readonly attention: readonly AttentionPoint[]
  /** The last 5 of all applications. */
  readonly pushes: readonly (PushSummary & { readonly application: ApplicationName })[]
}

export interface ApplicationName {
  readonly id: string
  readonly name: string
}

export interface OverviewDay {
  /** `2026-11-22` */
  readonly day: string
  /** Notifications addressed, taken by a gateway; opens and arrivals that apps have reported. */
  readonly addressed: number
  readonly accepted: number
  readonly opened: number
  readonly received: number
  /** Devices that a gateway has declared gone on this day. */
  readonly lost: number
}

/** As counted a while ago, at the most a few minutes. */
export interface OverviewDevices {
  /** In whatever state. */
  readonly total: number
  /** Registered ones. */
  readonly byPlatform: { readonly ios: number; readonly android: number; readonly web: number }
  readonly byState: {
    readonly registered: number
    /** Their gateway has declared them unregistered; still kept. */
    readonly gone: number
    /** Their gateway has called the token bad; still kept. */
    readonly quarantined: number
  }
  /** `false`: the last count broke off, so that these are of the one before. */
  readonly isWhole: boolean
}

/** Something that an operator should look at. */
export interface AttentionPoint {
  readonly level: 'error' | 'warning'
  readonly text: string
  /** What to do. */
  readonly fix: string | null
  /** `null`: the service as a whole. */
  readonly application: ApplicationName | null
}

/** `GET /api/applications`, in the order of their creation. */
export interface ApplicationsAnswer {
  readonly applications: readonly ApplicationSummary[]
}

export interface ApplicationSummary extends ApplicationName {
  /** Pushes go to the built-in simulator. */
  readonly simulated: boolean
  /** In whatever state. */
  readonly devices: number
  readonly providers: Readonly<Record<ProviderName, ProviderState>>
}

/** `none`: there is no credential. `ready`: there is one. Else why nothing can be sent: `paused`. */
export interface ProviderState {
  readonly state: 'none' | 'ready' | 'paused'
  /** Why it is paused, in the gateway's word. */
  readonly reason: string | null
}

/** `POST /api/applications`. `simulate`: from the beginning. Default false. */
export interface NewApplicationRequest {
  readonly name: string
  readonly simulate?: boolean
}

/** The answer to it: the secret is in it and nowhere else. */
export interface NewApplicationAnswer extends ApplicationName {
  readonly secret: string
}

/** `GET /api/applications/:id`; also what `PATCH`, `POST …/simulate` and the credentials' `PUT` and `DELETE` answer. */
export interface ApplicationAnswer extends ApplicationSummary {
  readonly limits: ApplicationLimits
  /** Tags and types. */
  readonly labels: number
  readonly credentials: readonly CredentialView[]
  readonly webhook: {
    readonly url: string
    readonly events: readonly string[]
    readonly disabledAt: string | null
  } | null
  readonly userKey: { readonly createdAt: string; readonly previousUntil: string | null } | null
  /** Calls of the running period; `quota` 0: no limit. */
  readonly use: { readonly used: number; readonly quota: number; readonly endsAt: string }
}

/** As `bellhop app limits` has them; rates are calls a second, 0 = unlimited (of the two for pushes: off). */
export interface ApplicationLimits {
  readonly rate: number
  readonly burst: number
  readonly backendRate: number
  readonly backendBurst: number
  readonly quota: number
  readonly quotaPeriod: 'day' | 'month'
  /** Devices above which a push must name their number. */
  readonly confirmAbove: number
  /** Seconds in which a push to many can be cancelled. */
  readonly holdSeconds: number
  readonly maxLabels: number
  readonly maxDevices: number
  /** Whether the payload carries the id of the push. */
  readonly pushId: boolean
  /** Whether every call needs the secret. */
  readonly secretEverywhere: boolean
  /** Whether a user or alias that comes without the secret must be proven. */
  readonly verifyUsers: boolean
  /** Whether a new token takes the place of an imported device of its user; null: with the first import of users. */
  readonly adoptImported: boolean | null
}

/** `PATCH /api/applications/:id`: what is left out stays as it is. A field that is none is refused. */
export type LimitsRequest = Partial<ApplicationLimits>

/** `POST /api/applications/:id/rotate-secret`. `overlapSeconds`: how long the old secret counts too; default 0, no longer. */
export interface RotateSecretRequest {
  readonly overlapSeconds?: number
}

export interface NewSecretAnswer {
  readonly secret: string
  /** Until when the old one counts; `null`: it is worth nothing. */
  readonly previousUntil: string | null
}

/**
 * `POST /api/applications/:id/simulate`. `confirm`: also where it has devices, pushes or credentials for real phones, which
 * is a `ConflictError` without. Default false.
 */
export interface SimulateRequest {
  readonly simulate: boolean
  readonly confirm?: boolean
}

/**
 * `DELETE /api/applications/:id`, with the application's name typed again. Devices, pushes and credentials go with it.
 * `erasing`: it goes on in the background, and the application is listed until it is done.
 */
export interface DeleteApplicationRequest {
  readonly name: string
}

export interface DeleteApplicationAnswer {
  readonly state: 'erased' | 'erasing'
}

/** What may be shown of a credential. */
export type CredentialView = { readonly createdAt: string } & (
  | {
      readonly provider: 'apns'
      readonly kind: 'key'
      readonly keyId: string
      readonly teamId: string
      readonly topic: string
      readonly environment: ApnsEnvironmentName
    }
  | {
      readonly provider: 'apns'
      readonly kind: 'certificate'
      readonly topic: string
      readonly environment: ApnsEnvironmentName
      readonly expiresAt: string
    }
  | {
      readonly provider: 'fcm'
      readonly kind: 'service-account'
      readonly projectId: string
      readonly clientEmail: string
      readonly privateKeyId: string
    }
  | {
      readonly provider: 'webpush'
      readonly kind: 'vapid'
      readonly publicKey: string
      readonly subject: string
    }
)

/** `auto`: production is tried first, then sandbox, device by device. */
export type ApnsEnvironmentName = 'auto' | 'production' | 'sandbox'

/** `PUT /api/applications/:id/credentials/apns`: a key, or a certificate. `environment`: default `auto`. */
export type ApnsCredentialRequest =
  | {
      /** The text of the .p8 file. */
      readonly key: string
      readonly keyId: string
      readonly teamId: string
      /** The bundle id. */
      readonly topic: string
      readonly environment?: ApnsEnvironmentName
    }
  | {
      /** The file (.p12, .pfx or .pem) in base64. */
      readonly certificate: string
      readonly password?: string
      /** Default: the one that the certificate names. */
      readonly topic?: string
      readonly environment?: ApnsEnvironmentName
    }

/** `PUT /api/applications/:id/credentials/fcm`. `DELETE …/credentials/:provider` takes either away. */
export interface FcmCredentialRequest {
  /** The text of the service account's JSON key file. */
  readonly serviceAccount: string
}

/** `POST /api/applications/:id/credentials/:provider/test`: takes up to 10 s. */
export interface CredentialTestAnswer {
  readonly findings: readonly {
    /** `skipped`: the gateway was not asked. */
    readonly state: 'ok' | 'warning' | 'failed' | 'skipped'
    readonly text: string
    readonly fix: string | null
  }[]
}

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

/**
 * `GET /api/applications/:id/devices/search?q=…`: at the most 50. A token, or its first 8 characters and more; else an
 * alias, a user, or a tag, which must be exact. `by` says which has found them; `null`: nothing has.
 */
export interface DeviceSearchAnswer {
  readonly by: 'token' | 'alias' | 'user' | 'tag' | null
  readonly devices: readonly DeviceView[]
}

export interface DeviceView {
  /** What `…/devices/:device` takes. */
  readonly device: number
  readonly token: string
  readonly platform: '0' | '1' | '2'
  readonly state: 'registered' | 'gone' | 'quarantined'
  readonly alias: string | null
  readonly user: string | null
  readonly tag: readonly string[]
  readonly active: readonly string[]
  readonly lat: number | null
  readonly lng: number | null
  readonly badge: number
  readonly timezone: string | null
  readonly locale: string | null
  readonly registeredAt: string
  readonly seenAt: string
  readonly updatedAt: string
}

/** `GET /api/applications/:id/devices/:device` */
export interface DeviceAnswer {
  readonly device: DeviceView
  /** What became of the application's last 20 pushes here, the newest first; those that were not for it are left out. */
  readonly pushes: readonly {
    readonly push: string
    readonly title: string | null
    readonly createdAt: string
    /** As `GET /push/{id}/device` has them. */
    readonly verdict: string
    readonly explanation: string
    readonly reason: string | null
    readonly at: string | null
  }[]
}

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

/** `GET /api/backups`; also what `POST /api/backups` answers, which makes one in the background. */
export interface BackupsAnswer {
  /** `null`: the service makes none (`--backup`). */
  readonly schedule: {
    readonly everyHours: number
    readonly lastSuccessAt: string | null
    /** Why the last try failed. */
    readonly lastError: string | null
    readonly isMaking: boolean
    /** Whether the newest can be restored; `null`: that is not looked at. */
    readonly verified: { readonly lastSuccessAt: string | null; readonly lastError: string | null } | null
  } | null
  /** Those that there are, the newest first. */
  readonly backups: readonly { readonly name: string; readonly bytes: number; readonly at: string }[]
  /** Why they cannot be listed. */
  readonly problem: string | null
}

/**
 * `GET /api/service-log?level=warn&application=app_…`: server-sent events, `event: line` with one of these each: the last
 * 500 that were written, then each as it is. `level`: the least, default `info`; below `--log-level` there is nothing.
 */
export interface ServiceLogLine {
  /** Counts from the start on; the event's id too. */
  readonly number: number
  readonly at: string
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly event: string
  /** `application` is an id, and `name` that application's, where a line is about one. */
  readonly fields: Readonly<Record<string, string | number | boolean | null>>
}

/** `GET /simulator/received?after=N`: what arrived at the simulator behind that number, the newest last. */
export interface ReceivedAnswer {
  readonly last: number
  readonly received: readonly {
    readonly number: number
    readonly at: string
    /** An application's id. */
    readonly application: string
    readonly platform: '0' | '1' | '2'
    /** Its first 12 characters. */
    readonly token: string
    /** The push's id; `null`: its payload does not have that. */
    readonly push: string | null
    readonly title: string | null
    readonly text: string | null
    readonly badge: number | null
    readonly status: number
    readonly reason: string | null
  }[]
}
