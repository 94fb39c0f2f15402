import { createAudienceCount } from '../../audience/audience-count.ts'
import { audiencePages } from '../../audience/audience.ts'
import { filterOf } from '../../audience/filter-schema.ts'
import type { Database } from '../../database/database.ts'
import { createDeviceSearch } from '../../device/device-search-store.ts'
import type { FoundDevice } from '../../device/device-search-store.ts'
import { problem } from '../../failure.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { done } from '../command.ts'
import type { ParsedArguments, RunOnApplication } from '../command.ts'
import { platformsIn } from '../push/platform-flag.ts'
import { resolveDevice, tooShort } from '../push/resolve.ts'
import { styleOf } from '../terminal/style.ts'
import { deviceJson, devicesText } from './devices-text.ts'
import type { Listed, Listing } from './devices-text.ts'

const DEFAULT_LIMIT = 50

export const run: RunOnApplication = async ({ flags }, world) => {
  const { database } = world
  const { number } = world.application
  const search = createDeviceSearch({ database })

  const { named, after: token, ...query } = readListing(flags)
  let after = 0
  if (token !== null) {
    const last = resolveDevice(search, number, token, query.platforms)
    if (last.kind === 'none') {
      return tooShort('--after', token) ?? problem('--after: no device of this application has this token.')
    }
    if (last.kind !== 'one') return last
    after = last.device.id
  }
  const listed = named
    ? namedDevices(search, number, named, query)
    : await listDevices(database, number, { ...query, after })
  const short = named && 'token' in named && listed.devices.length === 0 ? tooShort('--token', named.token) : null
  if (short !== null) return short
  if (flags.has('json')) return done(listed.devices.map((one) => jsonLine(deviceJson(one))).join(''))

  const last = listed.devices.at(-1)
  const part = last?.token.slice(0, 12) ?? ''
  const next = last && listed.more ? (search.byToken(number, part, 2).length === 1 ? part : last.token) : null
  const counts = search.counts(number, query.platforms)
  const view = { ...listed, counts, next, query, full: flags.has('full'), now: world.clock.now() }
  return done(devicesText(view, styleOf(world)))
}

function readListing(flags: ParsedArguments['flags']): Omit<Listing, 'after'> & {
  readonly after: string | null
  /** If given, `state` null means any. */
  readonly named: NamedDevices | null
} {
  const [token, alias, user] = [flags.get('token'), flags.get('alias'), flags.get('user')]
  return {
    platforms: platformsIn(flags),
    state: (flags.get('state') ?? null) as Listing['state'],
    tags: flags.get('tag')?.split(',') ?? null,
    limit: Number(flags.get('limit') ?? DEFAULT_LIMIT),
    after: flags.get('after') ?? null,
    named: token !== undefined ? { token } : alias !== undefined ? { alias } : user !== undefined ? { user } : null,
  }
}

type NamedDevices = { readonly token: string } | { readonly alias: string } | { readonly user: string }

function namedDevices(
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

/** Read before filtering. */
const MAX_OF_USER = 10_000

/** Registered devices come from the index that pushes use. */
async function listDevices(database: Database, application: number, listing: Listing): Promise<Listed> {
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
