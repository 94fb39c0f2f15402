import type { Platform } from '../../platform.ts'

/**
 * `GET /api/applications/:id/devices/search?q=…&by=…`: at most 50. A token, or at least its first 8 characters; or an
 * alias, a user, a tag, which must match exactly. The answer's `by` says which one found them; `null`: none did.
 */
export interface DeviceSearchAnswer {
  readonly by: 'token' | 'alias' | 'user' | 'tag' | null
  readonly devices: readonly DeviceView[]
}

export interface DeviceView {
  /** What `…/devices/:device` takes. */
  readonly device: number
  readonly token: string
  readonly platform: `${Platform}`
  readonly state: 'registered' | 'gone' | 'quarantined'
  readonly alias: string | null
  readonly user: string | null
  readonly tag: readonly string[]
  readonly active: readonly string[]
  readonly lat: number | null
  readonly lng: number | null
  readonly badge: number
  /** Of what is sent to through FCM; `null`: not known, or another platform. */
  readonly fcmPlatform: 'android' | 'ios' | null
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
