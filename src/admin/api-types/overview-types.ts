import type { ApplicationName } from './application-types.ts'
import type { PushSummary } from './push-types.ts'
import type { PlatformLabel } from '../../platform.ts'

/** `GET /api/overview` */
export interface OverviewAnswer {
  readonly version: string
  /** The last 30 days (UTC) in order, also those on which nothing was. */
  readonly days: readonly OverviewDay[]
  readonly devices: OverviewDevices
  readonly attention: readonly AttentionPoint[]
  /** The last 5 of all applications. */
  readonly pushes: readonly (PushSummary & { readonly application: ApplicationName })[]
}

export interface OverviewDay {
  /** `2026-11-22` */
  readonly day: string
  /** Notifications addressed, taken by a gateway; opens and arrivals that apps have reported. */
  readonly addressed: number
  readonly accepted: number
  readonly opened: number
  readonly received: number
  /**
   * Devices that have registered for the first time, imported ones too; the day may begin up to an hour late. `null`: they
   * were not counted yet.
   */
  readonly registered: number | null
  /** Devices that a gateway has declared gone on this day. */
  readonly lost: number
}

/** As counted a while ago, at the most a few minutes. */
export interface OverviewDevices {
  /** In whatever state. */
  readonly total: number
  /** Registered ones. */
  readonly byPlatform: Readonly<Record<PlatformLabel, number>>
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
