import { createAcceptanceStore } from '../../delivery/store/acceptance-store.ts'
import { maxLabelsOfNetwork } from '../../device/growth.ts'
import { createLabelUses } from '../../device/label-use-store.ts'
import type { LabelUse, WasAccepted } from '../../device/label-use-store.ts'
import { createRegistrySizeStore } from '../../device/registry-size-store.ts'
import { problem } from '../../failure.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { counted } from '../../text/format.ts'
import { done } from '../command.ts'
import type { ApplicationWorld, CommandOutcome, RunOnApplication } from '../command.ts'
import { platformIn } from '../push/platform-flag.ts'
import { startPolling } from '../terminal/poll.ts'
import { createProgress } from '../terminal/progress.ts'
import { styleOf } from '../terminal/style.ts'
import { createPacing } from '../transfer/pacing.ts'
import { labelsText } from './labels-text.ts'
import { isUnproven, summaryOf } from './labels-text.ts'

const DEFAULT_ROWS = 20

/** Labels erased in a transaction, for which a server beside it waits. */
const STEP = 500

export const run: RunOnApplication = async ({ flags }, world) => {
  const { number, id, name, limits } = world.application
  const uses = createLabelUses(world)
  const known = createAcceptanceStore(world).everAccepted(number)
  const platform = platformIn(flags)
  const wasAccepted: WasAccepted = (of, device) => known(of, device) ?? (of === platform ? false : null)

  if (!flags.has('clear-unproven')) {
    const rows = Number(flags.get('limit') ?? DEFAULT_ROWS)
    const { maxLabels } = limits
    const report = {
      labels: createRegistrySizeStore(world).sizeOf(number).labels,
      maxLabels,
      maxOfNetwork: maxLabels === 0 ? 0 : maxLabelsOfNetwork(maxLabels),
      networks: uses.networks(number, rows),
      ...summaryOf(uses.all(number, wasAccepted), rows),
    }
    return done(flags.has('json') ? jsonLine({ application: id, ...report }) : labelsText(name, report, styleOf(world)))
  }

  const unproven = [...uses.all(number, wasAccepted)].filter(isUnproven)
  const total = unproven.reduce((sum, { devices }) => sum + devices, 0)
  if (unproven.length > 0 && !flags.has('yes')) {
    return problem(
      `${counted(unproven.length, 'name')} would be taken off ${counted(total, 'device')}: add --yes to do so.`,
    )
  }
  return await clear({ unproven, total, wasAccepted, json: flags.has('json') }, world)
}

interface Clearing {
  readonly unproven: readonly LabelUse[]
  readonly total: number
  readonly wasAccepted: WasAccepted
  readonly json: boolean
}

async function clear(
  { unproven, total, wasAccepted, json }: Clearing,
  world: ApplicationWorld,
): Promise<CommandOutcome> {
  const { database, clock, application } = world
  const uses = createLabelUses(world)
  const progress = createProgress(world, { unit: 'labels' })
  const pacing = createPacing(world)
  const waiting = unproven.map((use) => use.id)
  const cleared = new Set<number>()
  let devices = 0
  using polling = startPolling(world)

  function step(): void {
    for (let room = STEP; room > 0;) {
      const label = waiting.at(-1)
      if (label === undefined) return
      const took = uses.clear(label, (of, device) => wasAccepted(of, device) === false, room)
      if (took > 0) cleared.add(label)
      // It filled the room, so there may be more.
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
  if (waiting.length > 0) return problem(`Stopped after ${counted(names, 'name')}: run the command again to continue.`)
  if (json) return done(jsonLine({ application: application.id, cleared: { names, devices } }))
  if (names === 0) return done('No name belongs only to new devices.\n')
  return done(
    `${counted(names, 'name')} taken off ${counted(devices, 'device')}. The server frees the space within the hour.\n`,
  )
}
