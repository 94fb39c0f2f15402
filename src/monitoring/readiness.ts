import type { BackupState } from '../backup/schedule.ts'
import { DAY_MS, MINUTE_MS } from '../clock.ts'
import type { SenderStats } from '../delivery/sender-stats.ts'
import { PLATFORM } from '../platform.ts'
import { pushServiceName } from '../device/webpush/push-services.ts'
import { isoTime } from '../text/format.ts'
import type { Disk } from './storage.ts'

/** For so long nothing may be answered while something is due: no request takes longer. */
const STILL_MS = MINUTE_MS

const MEBIBYTE = 1024 * 1024

/** Less than either is little: the second is for large disks, of which two hundredths would be plenty. */
const MIN_FREE_BYTES = 64 * MEBIBYTE
const MIN_FREE_SHARE = 0.02
const PLENTY_BYTES = 1024 * MEBIBYTE

/** A backup may be late by as much as its whole period, before it is said. */
const LATE_PERIODS = 2

/** A look at the newest backup is due once a day, and may be late by as much. */
const VERIFY_LATE_MS = 2 * DAY_MS

/** An application that has used four fifths of its quota of calls, or more. */
export interface NearlyUsed {
  /** The application's. */
  readonly name: string
  /** Calls of the running period. */
  readonly used: number
  readonly quota: number
  /** When the period ends, ms since the Unix epoch. */
  readonly endsAt: number
}

/** Connections of callers that ended early, to make room for others. */
export interface EarlyEnds {
  /** Ms since the Unix epoch: of the first, and of the last until now. */
  readonly since: number
  readonly last: number
  readonly count: number
  /** The network that most of the last ones were of. */
  readonly most: string
  /** How many connections there may be at once. */
  readonly limit: number
}

interface ReadinessFacts {
  /** Ms since the Unix epoch. */
  readonly now: number
  /** Why the database could not be written; `null`: it could. */
  readonly databaseProblem: string | null
  /** `name` is the application's. */
  readonly senders: readonly (Omit<SenderStats, 'outcomes' | 'connections'> & { readonly name: string })[]
  /** `null`: not known. */
  readonly disk: Disk | null
  /** `null`: none are made. */
  readonly backups: BackupState | null
  /** Origins of gateways that are reached by the second transport only. */
  readonly moved: readonly string[]
  readonly nearlyUsed: readonly NearlyUsed[]
  /** `null`: there is room for all connections. */
  readonly earlyEnds: EarlyEnds | null
}

type ReadinessCheckState = 'ok' | 'warning' | 'failed'

/** Whether the service does its work. Everything said of it is a sentence. */
export interface Readiness {
  readonly ready: boolean
  /** Why the service is not ready. */
  readonly reasons: readonly string[]
  /** What does not stop the service, and an operator should look at. */
  readonly warnings: readonly string[]
  readonly checks: Readonly<
    Record<
      'database' | 'queue' | 'credentials' | 'gateways' | 'disk' | 'backups' | 'quotas' | 'connections',
      ReadinessCheckState
    >
  >
}

/**
 * A credential that is refused is a reason where pushes wait for it: somebody has to act, and nobody else notices. A
 * gateway that cannot be reached is a warning: the queue is kept, and goes on by itself.
 */
export function readinessOf(facts: ReadinessFacts): Readiness {
  const database = facts.databaseProblem === null ? [] : [`The database cannot be written: ${facts.databaseProblem}.`]
  const queue = facts.senders.flatMap((sender) => standstillOf(sender, facts.now))
  // A push that addresses nobody, or is not counted yet, waits for nothing.
  const waiting = facts.senders.filter(({ recipients }) => recipients > 0)
  const credentials = waiting.flatMap(refusalOf)
  const disk = facts.disk === null ? [] : shortageOf(facts.disk)
  const unreachable = waiting.flatMap(unreachableOf)
  const services = waiting.flatMap(pausedServicesOf)
  const moved = facts.moved.map((origin) => `${origin} is reached by the second transport only.`)
  const backups =
    facts.backups === null ? [] : [...latenessOf(facts.backups, facts.now), ...doubtsOf(facts.backups, facts.now)]
  const quotas = facts.nearlyUsed.map(quotaOf)
  const connections = facts.earlyEnds === null ? [] : [crowdOf(facts.earlyEnds)]
  const reasons = [...database, ...queue, ...credentials, ...disk]
  return {
    ready: reasons.length === 0,
    reasons,
    warnings: [...unreachable, ...services, ...moved, ...backups, ...quotas, ...connections],
    checks: {
      database: checkOf(database, 'failed'),
      queue: checkOf(queue, 'failed'),
      credentials: checkOf(credentials, 'failed'),
      gateways: checkOf([...unreachable, ...services, ...moved], 'warning'),
      disk: checkOf(disk, 'failed'),
      backups: checkOf(backups, 'warning'),
      quotas: checkOf(quotas, 'warning'),
      connections: checkOf(connections, 'warning'),
    },
  }
}

type SenderFacts = ReadinessFacts['senders'][number]

function standstillOf({ name, platform, stillSince }: SenderFacts, now: number): string[] {
  if (stillSince === null || now - stillSince < STILL_MS) return []
  return [`${name}: the queue to ${PLATFORM[platform].gateway} stands still since ${isoSecond(stillSince)}.`]
}

function refusalOf({ name, platform, state, reason }: SenderFacts): string[] {
  const gateway = PLATFORM[platform].gateway
  if (state === 'no-credential') return [`${name}: pushes wait for a credential for ${gateway}, and there is none.`]
  if (state === 'misconfigured') return [`${name}: ${gateway} refuses the credential (${reason}), and pushes wait.`]
  return []
}

function unreachableOf({ name, platform, state, reason }: SenderFacts): string[] {
  return state === 'unreachable'
    ? [`${name}: ${PLATFORM[platform].gateway} takes nothing now (${reason}), and pushes wait.`]
    : []
}

function pausedServicesOf({ name, pausedServices }: SenderFacts): string[] {
  return pausedServices.map(
    ({ service, reason }) =>
      `${name}: the push service ${pushServiceName(service)} takes nothing now (${reason}), and its browsers wait.`,
  )
}

/** A sentence, or none. */
export function shortageOf({ freeBytes, sizeBytes }: Disk): string[] {
  const min = Math.max(MIN_FREE_BYTES, Math.min(sizeBytes * MIN_FREE_SHARE, PLENTY_BYTES))
  if (freeBytes >= min) return []
  return [`The disk of the data directory is nearly full: ${mebibytes(freeBytes)} of ${mebibytes(sizeBytes)} are free.`]
}

function latenessOf({ lastSuccessAt, lastError, everyMs }: BackupState, now: number): string[] {
  if (lastError !== null) return [`The last backup failed: ${lastError.replace(/\.$/, '')}.`]
  if (lastSuccessAt === null || now - lastSuccessAt <= everyMs * LATE_PERIODS) return []
  return [
    `The last backup is of ${isoSecond(lastSuccessAt)}, and one is due every ${Math.round(everyMs / MINUTE_MS)} minutes.`,
  ]
}

/** A backup that cannot be restored is none; but the service does its work, and a balancer must not take it away. */
function doubtsOf({ verified }: BackupState, now: number): string[] {
  if (verified === null) return []
  const { lastSuccessAt, lastError } = verified
  if (lastError !== null) return [`${lastError.replace(/\.$/, '')}.`]
  if (lastSuccessAt === null || now - lastSuccessAt <= VERIFY_LATE_MS) return []
  return [`The newest backup is opened once a day, and that was last done at ${isoSecond(lastSuccessAt)}.`]
}

function quotaOf({ name, used, quota, endsAt }: NearlyUsed): string {
  const refused = used < quota ? 'calls without the secret' : 'all its calls'
  return `${name}: ${used} calls of its quota of ${quota} are used; ${refused} are refused until ${isoSecond(endsAt)}.`
}

function crowdOf({ since, count, most, limit }: EarlyEnds): string {
  return `There were more than ${limit} connections at once: ${count} idle ones were closed since ${isoSecond(since)}, most of the last ones from ${most}.`
}

function checkOf(sentences: readonly string[], otherwise: ReadinessCheckState): ReadinessCheckState {
  return sentences.length === 0 ? 'ok' : otherwise
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / MEBIBYTE)} MiB`
}

/** `2026-11-20T12:00:00Z` */
function isoSecond(at: number): string {
  return isoTime(at).replace(/\.\d+/, '')
}
