import { createFeedbackStore } from '../../device/feedback-store.ts'
import type { FeedbackEntry } from '../../device/feedback-store.ts'
import { createRestoreStore } from '../../device/restore-store.ts'
import type { Departures } from '../../device/restore-store.ts'
import { problem } from '../../failure.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { counted, grouped, isoOrNull, isoTime } from '../../text/format.ts'
import { done, problems } from '../command.ts'
import type { ApplicationWorld, CheckArguments, CommandOutcome, ParsedArguments, RunOnApplication } from '../command.ts'
import { notAMoment, timeGiven } from '../moment-flag.ts'
import { platformsIn } from '../push/platform-flag.ts'
import { startPolling } from '../terminal/poll.ts'
import { createProgress } from '../terminal/progress.ts'
import { styleOf } from '../terminal/style.ts'
import { createPacing } from '../transfer/pacing.ts'
import { absentText, restoredText, spanText } from './devices-restore-text.ts'
import type { RestoreCounts } from './devices-restore-text.ts'

export const check: CheckArguments = ({ flags }, { clock }) => readRestore(flags, clock.now())

export const run: RunOnApplication = async ({ flags }, world) => {
  const read = readRestore(flags, world.clock.now())
  if (read.kind !== 'options') return read
  const { options } = read
  const { id, number } = world.application

  const away = createRestoreStore(world).absent(number, options)
  const unknown = options.reasons?.find((reason) => !away.some((one) => one.reason === reason))
  if (unknown !== undefined && away.length > 0) {
    const known = away.map((one) => `${one.reason} ${grouped(one.gone + one.quarantined)}`).join(', ')
    return problem(
      `--reason: no device that left ${spanText(options)} left for "${unknown}". The reasons there are: ${known}.`,
    )
  }
  const absent = away.filter(({ reason }) => options.reasons?.includes(reason) ?? true)
  const total = absent.reduce((sum, one) => sum + one.gone + one.quarantined, 0)
  const json = ({ gone, quarantined, aliasTaken, bare }: RestoreCounts) =>
    jsonLine({
      application: id,
      since: isoTime(options.since),
      until: isoOrNull(options.until),
      dry_run: flags.has('dry-run'),
      found: absent.map((one) => ({ reason: one.reason, gone: one.gone, quarantined: one.quarantined })),
      restored: { gone, quarantined, alias_taken: aliasTaken, nothing_kept: bare },
    })
  if (total === 0 || flags.has('dry-run')) {
    if (flags.has('json')) return done(json(NOBODY))
    if (total === 0) return done(`Nothing to restore: no device left ${spanText(options)} and is still away.\n`)
    return done(`${absentText(absent, styleOf(world))}Nothing was changed: this was a dry run.\n`)
  }
  if (!flags.has('yes')) {
    return problem(
      `${counted(total, 'device')} that left ${spanText(options)} would rejoin their audiences: add --yes to restore them, or --dry-run to see why they left.`,
    )
  }

  const { counts, stopped } = await restoreDevices(options, total, world)
  if (stopped) {
    const since = isoTime(options.since)
    return problem(
      `Stopped after ${counted(counts.gone + counts.quarantined, 'device')}: the same command with --since ${since} goes on.`,
    )
  }
  return done(flags.has('json') ? json(counts) : restoredText(counts))
}

function readRestore(
  flags: ParsedArguments['flags'],
  now: number,
): { readonly kind: 'options'; readonly options: RestoreOptions } | Extract<CommandOutcome, { kind: 'problems' }> {
  const wrong: string[] = []
  const timeOf = (name: string) => {
    const text = flags.get(name)
    if (text === undefined) return null
    const at = timeGiven(text, now)
    if (at === null) wrong.push(notAMoment(name, text))
    else if (at > now) wrong.push(`--${name}: ${text} is in the future.`)
    return at
  }
  const [since, until] = [timeOf('since'), timeOf('until')]
  if (!flags.has('since'))
    wrong.push('devices restore needs --since TIME: when the gateway began to refuse what it should not.')
  if (since !== null && until !== null && until < since) wrong.push('--until is before --since.')
  if (wrong.length > 0 || since === null) return problems(...wrong)
  const reasons = flags.get('reason')?.split(',') ?? null
  return { kind: 'options', options: { platforms: platformsIn(flags), since, until, reasons } }
}

interface RestoreOptions extends Departures {
  /** `null`: any. */
  readonly reasons: readonly string[] | null
}

const NOBODY: RestoreCounts = { gone: 0, quarantined: 0, aliasTaken: 0, bare: 0 }

/**
 * Rows in one transaction, for which a server beside it waits: one a device with its indexes and feedback entry, and
 * one a label. With four labels a device: 7 ms on 2 busy cores, 12 in one of ten.
 */
const WRITES = 500
const WRITES_OF_DEVICE = 5

/** Those that left first last. `stopped`: by a signal; the same command continues. */
async function restoreDevices(
  options: RestoreOptions,
  total: number,
  world: ApplicationWorld,
): Promise<{ readonly counts: RestoreCounts; readonly stopped: boolean }> {
  const { database, clock } = world
  const application = world.application.number
  const store = createRestoreStore(world)
  const entries = createFeedbackStore({ database }).list(application, options.since, options.until)
  const counts: { -readonly [Name in keyof RestoreCounts]: number } = { ...NOBODY }
  const progress = createProgress(world, { unit: 'devices' })
  const pacing = createPacing(world)
  // Only the last commit waits for the disk: the same command repeats what is lost.
  const sync = database.syncByHand()
  using polling = startPolling(world)

  function read(): FeedbackEntry[] {
    const found: FeedbackEntry[] = []
    while (found.length < WRITES / WRITES_OF_DEVICE) {
      const { value: entry } = entries.next()
      if (entry === undefined) break
      const { platform, reason } = entry
      if (options.platforms.includes(platform) && (options.reasons?.includes(reason) ?? true)) found.push(entry)
    }
    return found
  }

  function restore(waiting: readonly FeedbackEntry[]): FeedbackEntry[] {
    let writes = 0
    const end = waiting.findIndex((entry) => {
      if (writes >= WRITES) return true
      const restored = store.restore(application, entry)
      writes += WRITES_OF_DEVICE + (restored?.labels ?? 0)
      if (restored !== null) {
        counts[restored.state]++
        if (restored.aliasTaken) counts.aliasTaken++
        if (restored.bare) counts.bare++
      }
      return false
    })
    return end === -1 ? [] : waiting.slice(end)
  }

  try {
    for (let waiting = read(); waiting.length > 0;) {
      if (polling.isStopped()) return { counts, stopped: true }
      const startedAt = clock.now()
      const now = waiting
      waiting = database.transact(() => restore(now))
      const tookMs = clock.now() - startedAt
      progress.show(counts.gone + counts.quarantined, total)
      await pacing.rest(tookMs)
      if (waiting.length === 0) waiting = read()
    }
    return { counts, stopped: false }
  } finally {
    sync.now()
    progress.end()
  }
}
