import type { KeptLine, RecentLines } from '../../admin/routes/operation-routes.ts'
import type { ApplicationDirectory } from '../../application/application-directory.ts'
import type { Clock } from '../../clock.ts'
import { monitorCorruption } from '../../database/corruption-monitor.ts'
import type { CorruptionMonitor } from '../../database/corruption-monitor.ts'
import { createLog, logOf, logText } from '../../log.ts'
import type { Log } from '../../log.ts'
import type { Config } from '../../settings/parse.ts'
import { nameApplications } from './named-log.ts'
import { withoutRepeats } from './repeated-errors.ts'

/** About 200 KB. */
const KEPT_LINES = 500

interface ServiceLog {
  /** Its `log` is the log of the service. */
  readonly damage: CorruptionMonitor
  /** From here on, lines about an application have its name. */
  readonly naming: (directory: Pick<ApplicationDirectory, 'byId' | 'byNumber'>) => void
  /** Logs what was held back; call it once a minute. */
  readonly look: () => void
  readonly recentLines: RecentLines
}

/** Standard output carries only what a command prints. `auto` is text on a terminal. */
function standardErrorLog({ logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>, now: () => number): Log {
  const terminal = process.stderr.isTTY
  const { NO_COLOR: plain = '', TERM: kind } = process.env
  const text = logFormat === 'text' || (logFormat === 'auto' && terminal)
  // no-color.org, as for the commands.
  const render = text ? logText(terminal && plain === '' && kind !== 'dumb') : undefined
  return createLog(logLevel, now, (line) => process.stderr.write(line), render)
}

/** `base`: default standard error. */
export function createServiceLog(
  config: Pick<Config, 'data' | 'logLevel' | 'logFormat'>,
  clock: Clock,
  base: Log = standardErrorLog(config, clock.now),
): ServiceLog {
  const ring = createLogRing(base, clock.now)
  const names = nameApplications(ring.log)
  const repeats = withoutRepeats(names.log, clock.now)
  return {
    damage: monitorCorruption(repeats.log, config.data),
    naming: ({ byId, byNumber }) =>
      names.naming((which) => (typeof which === 'number' ? byNumber(which) : byId(which))),
    look: repeats.look,
    recentLines: ring.recentLines,
  }
}

export function createLogRing(base: Log, now: () => number): { readonly log: Log; readonly recentLines: RecentLines } {
  const lines: KeptLine[] = []
  let last = 0
  return {
    log: logOf(
      (level) => base.writes(level),
      (level, event, fields) => {
        if (base.writes(level)) {
          lines.push({ number: ++last, at: now(), level, event, fields })
          if (lines.length > KEPT_LINES) lines.shift()
        }
        base[level](event, fields)
      },
    ),
    // A higher number is from before a restart.
    recentLines: (number) => (number > last ? [...lines] : lines.filter((line) => line.number > number)),
  }
}
