import { createDeviceSearch } from '../../device/device-search-store.ts'
import { problem } from '../../failure.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { done } from '../command.ts'
import type { ParsedArguments, RunOnApplication } from '../command.ts'
import { platformsIn } from '../push/platform-flag.ts'
import { resolveDevice, tooShort } from '../push/resolve.ts'
import { styleOf } from '../terminal/style.ts'
import { listDevices, namedDevices } from './device-listing.ts'
import type { Listing, NamedDevices } from './device-listing.ts'
import { deviceJson, devicesText } from './devices-text.ts'

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

/** `after`: a token, or the beginning of one. */
function readListing(flags: ParsedArguments['flags']): Omit<Listing, 'after'> & {
  readonly after: string | null
  /** In any state unless one is given. */
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
