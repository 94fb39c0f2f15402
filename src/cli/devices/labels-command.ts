import type { Database } from '../../database/database.ts'
import { createAcceptanceStore } from '../../delivery/store/acceptance-store.ts'
import { maxLabelsOfNetwork } from '../../device/growth.ts'
import { createLabelUses } from '../../device/label-use-store.ts'
import type { LabelUse, WasAccepted } from '../../device/label-use-store.ts'
import { createRegistrySizeStore } from '../../device/registry-size-store.ts'
import { problem } from '../../failure.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { counted } from '../../text/format.ts'
import { done } from '../command.ts'
import type { CommandContext, CommandOutcome, RunCommand } from '../command.ts'
import { openApplication } from '../open-application.ts'
import { platformIn } from '../push/platform-flag.ts'
import { startPolling } from '../terminal/poll.ts'
import { createProgress } from '../terminal/progress.ts'
import { styleOf } from '../terminal/style.ts'
import { createPacing } from '../transfer/pacing.ts'
import { labelsText } from './labels-text.ts'
import { isUnproven, summaryOf } from './labels-summary.ts'

const DEFAULT_ROWS = 20

/** Labels of devices erased in one transaction, for which a server beside this process waits. */
const STEP = 500

/** Shows what the tags and types of an application are used for, or takes off devices what newcomers alone have. */
export const run: RunCommand = async ({ words, flags }, context) => {
  const opened = openApplication(words[0] ?? '', flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const { number, id, name, limits } = opened.application
  const uses = createLabelUses({ database })
  const known = createAcceptanceStore({ database }).everAccepted(number)
  const platform = platformIn(flags)
  const wasAccepted: WasAccepted = (of, device) => known(of, device) ?? (of === platform ? false : null)

  if (!flags.has('clear-unproven')) {
    const rows = Number(flags.get('limit') ?? DEFAULT_ROWS)
    const { maxLabels } = limits
    const report = {
      labels: createRegistrySizeStore({ database }).sizeOf(number).labels,
      maxLabels,
      maxOfNetwork: maxLabels === 0 ? 0 : maxLabelsOfNetwork(maxLabels),
      networks: uses.networks(number, rows),
      ...summaryOf(uses.all(number, wasAccepted), rows),
    }
    return done(
      flags.has('json') ? jsonLine({ application: id, ...report }) : labelsText(name, report, styleOf(context)),
    )
  }

  const unproven = [...uses.all(number, wasAccepted)].filter(isUnproven)
  const total = unproven.reduce((sum, { devices }) => sum + devices, 0)
  if (unproven.length > 0 && !flags.has('yes')) {
    return problem(
      `${counted(unproven.length, 'name')} would be taken off ${counted(total, 'device')}: add --yes to do so.`,
    )
  }
  return await clear(
    { database, data: opened.data, application: id, unproven, total, wasAccepted },
    context,
    flags.has('json'),
  )
}

interface Clearing {
  readonly database: Database
  /** The data directory. */
  readonly data: string
  readonly application: string
  readonly unproven: readonly LabelUse[]
  /** Labels of devices, for the bar. */
  readonly total: number
  readonly wasAccepted: WasAccepted
}

async function clear(
  { database, data, application, unproven, total, wasAccepted }: Clearing,
  context: CommandContext,
  asJson: boolean,
): Promise<CommandOutcome> {
  const { clock } = context
  const uses = createLabelUses({ database })
  const progress = createProgress(context, { unit: 'labels' })
  const pacing = createPacing(data, clock)
  const waiting = unproven.map((use) => use.id)
  const cleared = new Set<number>()
  let devices = 0
  using polling = startPolling(context)

  function step(): void {
    for (let room = STEP; room > 0;) {
      const label = waiting.at(-1)
      if (label === undefined) return
      const took = uses.clear(label, (of, device) => wasAccepted(of, device) === false, room)
      if (took > 0) cleared.add(label)
      // As many as there was room for: there may be more.
      if (took < room) waiting.pop()
      devices += took
      room -= took + 1
    }
  }

  try {
    while (waiting.length > 0 && !polling.isStopped()) {
      const startedAt = clock.now()
      database.transact(step)
      progress.show(devices, total)
      await pacing.rest(clock.now() - startedAt)
    }
  } finally {
    progress.end()
  }
  const names = cleared.size
  if (waiting.length > 0) return problem(`Stopped after ${counted(names, 'name')}: the same command goes on.`)
  if (asJson) return done(jsonLine({ application, cleared: { names, devices } }))
  if (names === 0) return done('No name is held by newcomers alone.\n')
  return done(
    `${counted(names, 'name')} taken off ${counted(devices, 'device')}. The service makes room for others within the hour.\n`,
  )
}
