import { readdirSync } from 'node:fs'
import type { Application } from '../application/application.ts'
import type { BackupState } from '../backup/schedule.ts'
import type { Clock } from '../clock.ts'
import type { SenderStats } from '../delivery/sender-stats.ts'
import type { Log } from '../log.ts'
import { maxOpenFiles } from '../system/socket-table.ts'
import { COMMIT, RELEASE } from '../version.ts'
import type { BackgroundCount } from './background-count.ts'
import type { CountStore } from './count-store.ts'
import { deliveryFamilies } from './delivery-metrics.ts'
import { counter, exposition, gauge } from './exposition.ts'
import type { Family } from './exposition.ts'
import type { Metrics } from './metrics.ts'
import type { Readiness } from './readiness.ts'
import { storageFamilies } from './storage.ts'
import { storedFamilies } from './stored-metrics.ts'
import type { NameOf } from './tally.ts'

interface Sources {
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'error'>
  readonly data: string
  readonly metrics: Metrics
  readonly store: Pick<CountStore, 'scheduled' | 'webhooks' | 'certificates' | 'sizes' | 'sqliteVersion'>
  readonly counts: Pick<BackgroundCount, 'counts'>
  readonly applications: () => readonly Application[]
  readonly nameOf: NameOf
  readonly senders: () => readonly SenderStats[]
  readonly quotaUsed: (application: Application) => number
  /** `null`: backups are off. */
  readonly backups: () => BackupState | null
  readonly moved: () => readonly string[]
  readonly readiness: () => Promise<Readiness>
}

export function createScrape(sources: Sources): () => Promise<string> {
  const { metrics, store, nameOf } = sources
  const build = {
    version: RELEASE,
    commit: COMMIT?.hash ?? '',
    bun: Bun.version,
    sqlite: store.sqliteVersion(),
  }

  return async () => {
    const counts = await sources.counts.counts()
    const stored = storedFamilies(sources)
    const families = [
      ...metrics.calls.families(),
      ...refusalFamilies(),
      ...metrics.commits.families(),
      counter(
        'bellhop_pushes_accepted_total',
        'Pushes accepted by the API, for now or later, including repeats with the same Idempotency-Key.',
        metrics.pushes.series(sources.applications()),
      ),
      counter(
        'bellhop_receipts_total',
        'Reports by apps that a push was opened, received or answered by a button, without repeats.',
        metrics.receipts.series(sources.applications()),
      ),
      ...deliveryFamilies({
        senders: sources.senders(),
        latency: metrics.latency,
        counts,
        nameOf,
        now: sources.clock.now(),
      }),
      gauge(
        'bellhop_second_transport_origins',
        'Gateways reached only by the second transport.',
        sources.moved().length,
      ),
      counter(
        'bellhop_webhook_deliveries_total',
        'Attempts to deliver an event.',
        metrics.webhooks.series(sources.applications()),
      ),
      ...stored.families,
      ...backupFamilies(),
      ...storageFamilies(sources.data),
      counter(
        'bellhop_connections_ended_total',
        'Connections of callers closed early because there were too many.',
        metrics.endedConnections,
      ),
      ...metrics.loop.families(),
      ...processFamilies(),
    ]
    // Last, to count damage that was just found.
    const readiness = await sources.readiness()
    return exposition([
      gauge('bellhop_build_info', 'What runs: always 1.', [[build, 1]]),
      ...readinessFamilies(readiness),
      gauge(
        'bellhop_metrics_ok',
        'Whether a part of these metrics could be read; what could not is left out, or old, and the log says why.',
        Object.entries({ counts: Number(counts.whole), ...stored.ok }).map(([part, ok]) => [{ part }, ok] as const),
      ),
      ...families,
    ])
  }

  function refusalFamilies(): Family[] {
    const limited = sources.applications().filter(({ limits }) => limits.quota > 0)
    return [
      counter(
        'bellhop_rate_limited_total',
        "Calls refused because of an application's limit or a full disk.",
        metrics.refusals.series(sources.applications()),
      ),
      counter(
        'bellhop_wrong_credentials_total',
        'Calls with an unknown application or a wrong secret.',
        metrics.wrongCredentials,
      ),
      gauge(
        'bellhop_quota_used_calls',
        'Calls counted against the quota in the current period.',
        limited.map((application) => [{ application: application.name }, sources.quotaUsed(application)] as const),
      ),
      gauge(
        'bellhop_quota_limit_calls',
        'Calls allowed per period. Absent without a quota.',
        limited.map(({ name, limits }) => [{ application: name }, limits.quota] as const),
      ),
    ]
  }

  function backupFamilies(): Family[] {
    const backups = sources.backups()
    const made = backups?.lastSuccessAt ?? null
    const verified = backups?.verified ?? null
    const whole = verified?.lastSuccessAt ?? null
    return [
      gauge(
        'bellhop_backup_last_success_timestamp_seconds',
        'When the last backup was created, in seconds since the Unix epoch. Absent if there is none.',
        made === null ? [] : made / 1000,
      ),
      gauge('bellhop_backup_failed', 'Whether the last try failed.', backups ? Number(backups.lastError !== null) : []),
      gauge(
        'bellhop_backup_last_verified_timestamp_seconds',
        'When a backup was last verified as intact, in seconds since the Unix epoch. Absent if none was.',
        whole === null ? [] : whole / 1000,
      ),
      gauge(
        'bellhop_backup_verification_failed',
        'Whether the newest backup is damaged, or could not be opened.',
        verified ? Number(verified.lastError !== null) : [],
      ),
      gauge('bellhop_backup_period_seconds', 'The time between two backups.', backups ? backups.everyMs / 1000 : []),
    ]
  }
}

function readinessFamilies({ ready, checks }: Readiness): Family[] {
  return [
    gauge('bellhop_ready', 'Whether /readyz answers 200.', Number(ready)),
    gauge(
      'bellhop_check_ok',
      'Whether one of its checks has nothing to say; gateways, backups, quotas and connections make no difference to bellhop_ready.',
      Object.entries(checks).map(([check, state]) => [{ check }, Number(state === 'ok')] as const),
    ),
  ]
}

/** Names from prometheus.io, "Writing client libraries". */
function processFamilies(): Family[] {
  const { user, system } = process.cpuUsage()
  return [
    counter('process_cpu_seconds_total', 'CPU time of all threads.', (user + system) / 1e6),
    gauge('process_resident_memory_bytes', 'Memory that is in RAM.', process.memoryUsage.rss()),
    gauge(
      'process_start_time_seconds',
      'When the process started, since the Unix epoch.',
      performance.timeOrigin / 1000,
    ),
    gauge('process_open_fds', 'Open files and connections.', openFiles()),
    gauge('process_max_fds', 'Their limit.', maxOpenFiles() ?? []),
  ]
}

function openFiles(): number | [] {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return []
  }
}
