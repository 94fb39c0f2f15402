import type { Platform } from '../../platform.ts'

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
  /** What else the app has said, by its name in the device record, and the one for people; `null`: not known. */
  readonly facts: readonly { readonly name: string; readonly label: string; readonly value: string | null }[]
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
