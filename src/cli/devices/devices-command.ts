import { createDeviceSearch } from '../../device/device-search-store.ts'
import { problem } from '../../failure.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { done, problems } from '../command.ts'
import type { ParsedArguments, CommandOutcome, CommandContext } from '../command.ts'
import { findApplication } from '../find-application.ts'
import { openData } from '../open-data.ts'
import { readPlatform } from '../push/platform-flag.ts'
import { resolveDevice, tooShort } from '../push/resolve-device.ts'
import { styleOf } from '../terminal/style.ts'
import { listDevices, namedDevices } from './device-listing.ts'
import type { Listing } from './device-listing.ts'
import { deviceJson, devicesText } from './devices-text.ts'

const DEFAULT_LIMIT = '50'
const MAX_ROWS = 10_000
const STATES = ['registered', 'gone', 'quarantined'] as const

/** The devices of an application: a table, or one record a line. */
export async function runDevices({ words, flags }: ParsedArguments, context: CommandContext): Promise<CommandOutcome> {
  const read = readListing(flags)
  if (read.kind === 'problems') return read
  const opened = openData(flags.get('data') ?? null, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const { clock } = context
  const found = findApplication(words[0] ?? '', { database, data: opened.data, clock })
  if (found.kind !== 'found') return found
  const { number } = found.application
  const search = createDeviceSearch({ database })

  const { named, after: token, ...query } = read.listing
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
  const view = { ...listed, counts, next, query, full: flags.has('full'), now: clock.now() }
  return done(devicesText(view, styleOf(context)))
}

/** What the flags ask for. `after`: a token, or the beginning of one. */
function readListing(flags: ParsedArguments['flags']):
  | {
      readonly kind: 'listing'
      readonly listing: Omit<Listing, 'after'> & {
        readonly after: string | null
        /** One device, in whichever state unless that is asked for. */
        readonly named: { readonly token: string } | { readonly alias: string } | null
      }
    }
  | Extract<CommandOutcome, { kind: 'problems' }> {
  const platforms = readPlatform(flags)
  const wrong = platforms.kind === 'problems' ? [...platforms.problems] : []
  const limit = flags.get('limit') ?? DEFAULT_LIMIT
  if (!/^\d{1,5}$/.test(limit) || Number(limit) < 1 || Number(limit) > MAX_ROWS) {
    wrong.push(`--limit: "${limit}" is not a number from 1 to ${MAX_ROWS}.`)
  }
  const state = STATES.find((one) => one === flags.get('state')) ?? null
  if (state === null && flags.has('state')) {
    wrong.push(`--state: "${flags.get('state')}" is not one of ${STATES.join(', ')}.`)
  }
  const ways = ['tag', 'alias', 'token'].filter((name) => flags.has(name)).map((name) => `--${name}`)
  if (ways.length > 1) wrong.push(`${ways.join(' and ')} do not go together: choose one.`)
  if (wrong.length > 0 || platforms.kind === 'problems') return problems(...wrong)

  const [token, alias] = [flags.get('token'), flags.get('alias')]
  const named = token === undefined ? (alias === undefined ? null : { alias }) : { token }
  const tags = flags.get('tag')?.split(',') ?? null
  const after = flags.get('after') ?? null
  const listing = { platforms: platforms.platforms, state, tags, limit: Number(limit), after, named }
  return { kind: 'listing', listing }
}
