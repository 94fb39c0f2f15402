import { createAudienceCount } from '../../audience/audience-count.ts'
import { audiencePages } from '../../audience/audience.ts'
import { filterOf } from '../../audience/filter-schema.ts'
import type { Database } from '../../database/database.ts'
import { createDeviceSearch } from '../../device/device-search-store.ts'
import type { FoundDevice } from '../../device/device-search-store.ts'
import type { DeviceState, Platform } from '../../device/device.ts'

export interface Listing {
  readonly platforms: readonly Platform[]
  /** With any of these; `null`: any. */
  readonly tags: readonly string[] | null
  /** `null`: registered. */
  readonly state: DeviceState | null
  /** Devices with a greater `device.id`. */
  readonly after: number
  readonly limit: number
}

export interface Listed {
  readonly devices: readonly FoundDevice[]
  readonly more: boolean
  /** `null`: not counted. */
  readonly total: number | null
}

export type NamedDevices = { readonly token: string } | { readonly alias: string } | { readonly user: string }

/** By alias, user, token, or the beginning of a token. */
export function namedDevices(
  search: Pick<ReturnType<typeof createDeviceSearch>, 'byToken' | 'byAlias' | 'byUser'>,
  application: number,
  named: NamedDevices,
  { platforms, state, limit }: Pick<Listing, 'platforms' | 'state' | 'limit'>,
): Listed {
  const found =
    'token' in named
      ? search.byToken(application, named.token, limit + 1)
      : 'alias' in named
        ? search.byAlias(application, named.alias)
        : search.byUser(application, named.user, MAX_OF_USER)
  const fits = (one: FoundDevice) => platforms.includes(one.platform) && (state === null || one.state === state)
  return { devices: found.filter(fits).slice(0, limit), more: false, total: null }
}

/** Devices of a user that are read before filtering. */
const MAX_OF_USER = 10_000

/** Registered devices come from the index that pushes use; others are searched one by one. */
export async function listDevices(database: Database, application: number, listing: Listing): Promise<Listed> {
  const search = createDeviceSearch({ database })
  const { state, limit, tags, platforms } = listing
  if (state === 'gone' || state === 'quarantined') {
    const devices = search.left({ ...listing, state, limit: limit + 1 }, application)
    return { devices: devices.slice(0, limit), more: devices.length > limit, total: null }
  }
  const filter = filterOf({ platform: platforms, ...(tags !== null && { tags }) })
  const ids = platforms.flatMap((platform) => {
    const pages = audiencePages(database, { filter }, application, platform)
    const found: number[] = []
    for (let after = listing.after; after < Number.MAX_SAFE_INTEGER && found.length <= limit;) {
      const { rows, last } = pages.page(after, Number.MAX_SAFE_INTEGER, limit + 1 - found.length)
      found.push(...rows.map(({ id }) => id))
      after = last
    }
    return found
  })
  const first = ids.toSorted((a, b) => a - b)
  // The caller counts whole platforms anyway.
  const total = tags === null ? null : await createAudienceCount({ database })(application, filter)
  return { devices: search.byIds(first.slice(0, limit)), more: first.length > limit, total }
}
