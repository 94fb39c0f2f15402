import type { ApplicationDirectory } from '../../application/application-directory.ts'
import { MINUTE_MS } from '../../clock.ts'
import type { CorruptionMonitor } from '../../database/corruption-monitor.ts'
import type { FileGuard } from '../../database/file-guard.ts'
import { createWriteProbe } from '../../database/write-probe.ts'
import { monitoringRoutes } from '../../monitoring/monitoring-routes.ts'
import { createBackgroundCount } from '../../monitoring/background-count.ts'
import { createCountStore } from '../../monitoring/count-store.ts'
import { watchDisk } from '../../monitoring/disk-watch.ts'
import { createInbox } from '../../monitoring/inbox.ts'
import { createReadinessCheck } from '../../monitoring/readiness-check.ts'
import type { CheckReadiness } from '../../monitoring/readiness-check.ts'
import { createScrape } from '../../monitoring/scrape.ts'
import type { EarlyEnds } from '../../monitoring/readiness.ts'
import type { Disk } from '../../monitoring/storage.ts'
import { createProgressStore } from '../../push/status/progress-store.ts'
import { shareWithoutSecret } from '../../usage/quota-ledger.ts'
import type { QuotaLedger } from '../../usage/quota-ledger.ts'
import { periodAt } from '../../usage/quota-period.ts'
import type { Senders } from '../sending/senders.ts'
import type { BackupSchedule } from '../../backup/schedule.ts'
import type { Service } from '../service.ts'
import { startAlerts } from './alert-side.ts'
import type { AlertParts } from './alert-side.ts'

/** A scrape reuses a write probe up to this old, so that an idle service does not write for each. */
const SCRAPE_PROBE_MS = MINUTE_MS

export interface MonitoringParts extends Service, Pick<AlertParts, 'post'> {
  readonly damage: CorruptionMonitor
  readonly files: Pick<FileGuard, 'problem'>
  /** `null`: unknown. */
  readonly disk: () => Disk | null
  readonly senders: Pick<Senders, 'pool' | 'moved' | 'runningSimulator'>
  readonly earlyEnds: () => EarlyEnds | null
  readonly schedule: Pick<BackupSchedule, 'state'> | null
}

export function startMonitoring(deps: MonitoringParts) {
  const { config, clock, damage, database, files, commit, directory, ledger, metrics, disk, opened, schedule } = deps
  const { pool, moved, runningSimulator } = deps.senders
  const { log } = damage
  const nameOf = (number: number) => directory.byNumber(number)?.name ?? null
  const stats = () => pool.stats()
  const backups = () => schedule?.state() ?? null
  const writeProbe = createWriteProbe(database)
  opened.defer(watchDisk({ clock, log, disk }))
  const check = createReadinessCheck({
    clock,
    log,
    probeDatabase() {
      const found = damage.found()
      return found === null ? commit(writeProbe) : Promise.reject(new Error(found))
    },
    senders: stats,
    nameOf,
    disk,
    backups,
    moved,
    nearlyUsed: () => nearlyUsed(directory, ledger, clock.now()),
    earlyEnds: deps.earlyEnds,
  })
  // Known damage, or a missing database, is reported at once.
  const readiness: CheckReadiness = (maxAgeMs) => check((damage.found() ?? files.problem()) ? 0 : maxAgeMs)
  const recentReadiness = () => readiness(SCRAPE_PROBE_MS)
  const store = createCountStore({ database })
  const alerts = startAlerts({ ...deps, readiness: recentReadiness, certificates: store.certificates })
  const counts = createBackgroundCount({
    clock,
    log,
    store,
    applications: () => directory.all().map(({ number }) => number),
    busy: () => pool.stats().filter(({ open }) => open > 0),
  })
  opened.defer(() => counts.stop())
  const progress = createProgressStore((sql) => database.reading(sql))
  const routes = () =>
    monitoringRoutes({
      readiness,
      senders: stats,
      nameOf,
      progress,
      moved,
      inbox: createInbox({ simulator: runningSimulator, applications: () => directory.all() }),
      scrape: createScrape({
        clock,
        log,
        data: config.data,
        metrics,
        store,
        counts,
        applications: () => directory.all(),
        nameOf,
        senders: stats,
        quotaUsed: (application) => ledger.used(application),
        backups,
        moved,
        readiness: recentReadiness,
      }),
    })
  return {
    routes,
    progress,
    counts: () => counts.counts(),
    store,
    alerts,
    readiness: recentReadiness,
  }
}

function nearlyUsed(directory: ApplicationDirectory, ledger: QuotaLedger, now: number) {
  return directory.all().flatMap((application) => {
    const { name, limits } = application
    const { quota, quotaPeriod } = limits
    const used = ledger.used(application)
    if (quota === 0 || used < shareWithoutSecret(quota)) return []
    return [{ name, used, quota, endsAt: periodAt(quotaPeriod, now).endsAt }]
  })
}
