import type { CredentialView, ProviderName, ProviderState } from './credential-types.ts'

export interface ApplicationName {
  readonly id: string
  readonly name: string
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
