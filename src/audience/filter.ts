import type { Platform } from '../device/device.ts'
import type { GeoCircle } from './geo-circle.ts'
import type { Where } from './where.ts'

/** To whom. `null` fields do not narrow; fields narrow together (AND). */
export interface Filter {
  readonly platforms: readonly Platform[]
  readonly tags: readonly string[] | null
  /** `any` of `tags` or `all` of them. */
  readonly tagsMatch: 'any' | 'all'
  readonly exceptTags: readonly string[] | null
  /** Any of these notification types. */
  readonly active: readonly string[] | null
  readonly exceptActive: readonly string[] | null
  readonly alias: string | null
  readonly exceptAlias: string | null
  // From here on a field that does not narrow is absent, as in every push stored before there were these.
  /** Nobody without a location. */
  readonly near?: GeoCircle
  /** Registered, as an app does at launch, not longer ago than this. */
  readonly seenWithinMs?: number
  /** Not registered again since longer than this. */
  readonly notSeenForMs?: number
  /** Registered for the first time not longer ago than this. */
  readonly registeredWithinMs?: number
  readonly where?: Where
  /** Devices of these users; of nobody where there are none. */
  readonly users?: readonly string[]
  readonly exceptUsers?: readonly string[]
  /** The moment that these times are counted back from, ms since the Unix epoch: fixed when a push is accepted. */
  readonly asOf?: number
  /** These, by `device.id`, as far as the rest of the filter leaves them. */
  readonly devices?: readonly number[]
  /** Devices in these time zones; `null` is one that is not known. */
  readonly zones?: readonly (string | null)[]
  /** Not devices whose time zone has changed at this moment or since; ms since the Unix epoch. */
  readonly stayedSince?: number
  readonly missed?: Missed
}

/** Only devices that a push which is over has failed for, by what is stored of it. */
export interface Missed {
  /** `push.number` of the push and of its waves: theirs are the recipients that were rejected, or expired. */
  readonly pushes: readonly number[]
  /** Those that it did not get to before it was over, by platform and wave; absent: everybody was sent to. */
  readonly unsent?: readonly Unsent[]
}

interface Unsent {
  readonly platform: Platform
  /** Of `device.id`, from and to. */
  readonly ranges: readonly (readonly [number, number])[]
  /** Whom the wave was for. */
  readonly turn?: Pick<Filter, 'zones' | 'stayedSince'>
}

/** The audience of a push: one device by its `device.id`, or those that match. */
export type Audience =
  | { readonly device: number; readonly platform: Platform }
  | {
      readonly filter: Filter
      /** Each when the clock there shows this: `2026-12-24T09:00`. */
      readonly local?: string
    }
