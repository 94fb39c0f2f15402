import type { BackupState } from '../backup/schedule.ts'
import { DAY_MS, MINUTE_MS } from '../clock.ts'
import type { SenderStats } from '../delivery/sender-stats.ts'
import { PLATFORM } from '../platform.ts'
import { pushServiceName } from '../device/webpush/push-services.ts'
import { isoTime } from '../text/format.ts'
import type { Disk } from './storage.ts'

/** No request takes longer. */
const MAX_STILL_MS = MINUTE_MS

const MEBIBYTE = 1024 * 1024

/** Short of room below either; on a large disk 2 % would be too much, and 1 GiB is enough. */
const MIN_FREE_BYTES = 64 * MEBIBYTE
const MIN_FREE_SHARE = 0.02
const ENOUGH_BYTES = 1024 * MEBIBYTE

/** In backup intervals. */
const LATE_PERIODS = 2

/** The newest backup is verified daily. */
const VERIFY_LATE_MS = 2 * DAY_MS

/** At least four fifths of the quota of calls are used. */
export interface NearlyUsed {
  readonly name: string
  readonly used: number
  readonly quota: number
  readonly endsAt: number
}

/** Connections closed to make room for others. */
export interface EarlyEnds {
  /** First and last. */
  readonly since: number
  readonly last: number
  readonly count: number
  /** Where most of the latest came from. */
  readonly most: string
  /** Connections allowed at a time. */
  readonly limit: number
}

interface ReadinessFacts {
  readonly now: number
  /** Why the database is not writable, if so. */
  readonly databaseProblem: string | null
  /** `name` is the application's. */
  readonly senders: readonly (Omit<SenderStats, 'outcomes' | 'connections'> & { readonly name: string })[]
  readonly disk: Disk | null
  /** `null`: backups are off. */
  readonly backups: BackupState | null
  /** Origins of gateways that only the second transport reaches. */
  readonly moved: readonly string[]
  readonly nearlyUsed: readonly NearlyUsed[]
  /** `null`: there is room for all connections. */
  readonly earlyEnds: EarlyEnds | null
}

/**
 * In the order of reasons and warnings. A refused credential with waiting pushes is a failure: nobody else notices, and
 * someone has to act. An unreachable gateway is a warning: sending resumes by itself. So is an unrestorable backup: a
 * balancer must not take the service down for it.
 */
const CHECKS = {
  database: 'failed',
  queue: 'failed',
  credentials: 'failed',
  gateways: 'warning',
  disk: 'failed',
  backups: 'warning',
  quotas: 'warning',
  connections: 'warning',
} as const

type Check = keyof typeof CHECKS

/** `about` identifies it among its check's findings for as long as it lasts. */
interface Found {
  readonly about: string
  readonly what: string
}

export interface Readiness {
  readonly ready: boolean
  readonly reasons: readonly string[]
  /** Problems that need attention, though the service works. */
  readonly warnings: readonly string[]
  readonly checks: Readonly<Record<Check, 'ok' | 'warning' | 'failed'>>
  readonly found: Readonly<Record<Check, readonly Found[]>>
}

export function readinessOf(facts: ReadinessFacts): Readiness {
  const { now, databaseProblem, senders, disk, backups, moved, nearlyUsed, earlyEnds } = facts
  // Nothing waits for a push that addresses nobody or is not counted yet.
  const waiting = senders.filter(({ recipients }) => recipients > 0)
  const found: Readiness['found'] = {
    database:
      databaseProblem === null ? [] : [{ about: '', what: `The database cannot be written: ${databaseProblem}.` }],
    queue: senders.flatMap((sender) => standstillOf(sender, now)),
    credentials: waiting.flatMap(refusalOf),
    gateways: [
      ...grouped(waiting.flatMap(unreachableOf)),
      ...grouped(waiting.flatMap(pausedServicesOf)),
      ...moved.map((origin) => ({ about: origin, what: `${origin} is reached by the second transport only.` })),
    ],
    disk: disk === null ? [] : shortageOf(disk).map((what) => ({ about: '', what })),
    backups: backups === null ? [] : [...latenessOf(backups, now), ...doubtsOf(backups, now)],
    quotas: nearlyUsed.map(quotaOf),
    connections: earlyEnds === null ? [] : [crowdOf(earlyEnds)],
  }
  const checks = Object.keys(CHECKS) as Check[]
  const sentences = (of: 'failed' | 'warning') =>
    checks.flatMap((check) => (CHECKS[check] === of ? found[check].map(({ what }) => what) : []))
  const reasons = sentences('failed')
  return {
    ready: reasons.length === 0,
    reasons,
    warnings: sentences('warning'),
    checks: Object.fromEntries(
      checks.map((check) => [check, found[check].length === 0 ? 'ok' : CHECKS[check]]),
    ) as Readiness['checks'],
    found,
  }
}

type SenderFacts = ReadinessFacts['senders'][number]

const aboutLane = ({ application, platform }: SenderFacts): string => `${application}/${platform}`

function standstillOf(lane: SenderFacts, now: number): Found[] {
  const { name, platform, stillSince } = lane
  if (stillSince === null || now - stillSince < MAX_STILL_MS) return []
  const what = `${name}: the queue to ${PLATFORM[platform].gateway} has not moved since ${isoSecond(stillSince)}.`
  return [{ about: aboutLane(lane), what }]
}

function refusalOf(lane: SenderFacts): Found[] {
  const { name, platform, state, reason } = lane
  const gateway = PLATFORM[platform].gateway
  const found = (what: string) => [{ about: aboutLane(lane), what: `${name}: ${what}; pushes are waiting.` }]
  if (state === 'no-credential') return found(`there is no credential for ${gateway}`)
  return state === 'misconfigured' ? found(`${gateway} refuses the credential (${reason})`) : []
}

type Trouble = Pick<Found, 'what'> & { readonly name: string }

function unreachableOf({ name, platform, state, reason }: SenderFacts): Trouble[] {
  if (state !== 'unreachable') return []
  return [{ name, what: `${PLATFORM[platform].gateway} accepts nothing now (${reason}); pushes are waiting.` }]
}

function pausedServicesOf({ name, pausedServices }: SenderFacts): Trouble[] {
  return pausedServices.map(({ service, reason }) => ({
    name,
    what: `the push service ${pushServiceName(service)} accepts nothing now (${reason}); its browsers are waiting.`,
  }))
}

const MAX_NAMES = 3

/** One sentence each: a gateway that is down fails every application alike. */
function grouped(troubles: readonly Trouble[]): Found[] {
  const byTrouble = Map.groupBy(troubles, ({ what }) => what)
  return Array.from(byTrouble, ([what, of]) => {
    const names = of.slice(0, MAX_NAMES).map(({ name }) => name)
    const more = of.length - names.length
    return { about: what, what: `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}: ${what}` }
  })
}

/** At most one sentence. */
export function shortageOf({ freeBytes, sizeBytes }: Disk): string[] {
  const min = Math.max(MIN_FREE_BYTES, Math.min(sizeBytes * MIN_FREE_SHARE, ENOUGH_BYTES))
  if (freeBytes >= min) return []
  return [`The data disk is nearly full: ${mebibytes(freeBytes)} of ${mebibytes(sizeBytes)} are free.`]
}

function latenessOf({ lastSuccessAt, lastError, everyMs }: BackupState, now: number): Found[] {
  const found = (what: string) => [{ about: 'last', what }]
  if (lastError !== null) return found(`The last backup failed: ${lastError.replace(/\.$/, '')}.`)
  if (lastSuccessAt === null || now - lastSuccessAt <= everyMs * LATE_PERIODS) return []
  const every = Math.round(everyMs / MINUTE_MS)
  return found(`The last backup is of ${isoSecond(lastSuccessAt)}, and one is due every ${every} minutes.`)
}

function doubtsOf({ verified }: BackupState, now: number): Found[] {
  if (verified === null) return []
  const { lastSuccessAt, lastError } = verified
  const found = (what: string) => [{ about: 'verified', what }]
  if (lastError !== null) return found(`${lastError.replace(/\.$/, '')}.`)
  if (lastSuccessAt === null || now - lastSuccessAt <= VERIFY_LATE_MS) return []
  return found(`The newest backup is verified once a day, last at ${isoSecond(lastSuccessAt)}.`)
}

function quotaOf({ name, used, quota, endsAt }: NearlyUsed): Found {
  const refused = used < quota ? 'calls without the secret' : 'all its calls'
  const what = `${name}: ${used} calls of its quota of ${quota} are used; ${refused} are refused until ${isoSecond(endsAt)}.`
  return { about: name, what }
}

function crowdOf({ since, count, most, limit }: EarlyEnds): Found {
  const what = `There were more than ${limit} connections at once: ${count} idle ones were closed since ${isoSecond(since)}, most of the last ones from ${most}.`
  return { about: '', what }
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / MEBIBYTE)} MiB`
}

function isoSecond(at: number): string {
  return isoTime(at).replace(/\.\d+/, '')
}
