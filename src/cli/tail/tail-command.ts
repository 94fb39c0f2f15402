import { createApplicationStore } from '../../application/application-store.ts'
import type { Application } from '../../application/application.ts'
import { problem } from '../../failure.ts'
import { DAY_MS } from '../../clock.ts'
import { createDeviceChangesStore } from '../../device/device-changes-store.ts'
import { createPushChangesStore } from '../../push/push-changes-store.ts'
import { createStatusStore } from '../../push/status/status-store.ts'
import { createTallyReader } from '../../stats/tally-store.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { done } from '../command.ts'
import type { RunOnData, World } from '../command.ts'
import { findApplication } from '../find-application.ts'
import { ALL_SIGNALS } from '../signals.ts'
import { startPolling } from '../terminal/poll.ts'
import { styleOf } from '../terminal/style.ts'
import { createDeviceTail } from './tail-devices.ts'
import type { TailEvent } from './tail-event.ts'
import { createOpenTail } from './tail-opens.ts'
import { createPushTail } from './tail-pushes.ts'
import { createServerTail } from './tail-server.ts'
import { eventJson, eventText } from './tail-text.ts'

const LOOK_MS = 250

export const run: RunOnData = async ({ words: [app], flags }, world) => {
  const { clock, stdout, stderr, served } = world
  const found = app === undefined ? null : findApplication(app, world)
  if (found !== null && found.kind !== 'found') return found
  if (served === null) return problem(`No server runs on ${world.data}: start one with bellhop serve.`)
  const only = found?.application ?? null
  const tail = createTail(only, served, world)
  const style = styleOf(world)
  using polling = startPolling(world, ALL_SIGNALS)
  if (world.terminal !== null) stderr('Showing new events. Press Ctrl-C to stop.\n')
  while ((await polling.next(LOOK_MS)) === 'tick') {
    for (const event of tail.look(clock.now())) {
      const application = tail.application(event)
      const line = flags.has('json')
        ? jsonLine(eventJson(event, application))
        : eventText(event, application, only === null, style)
      if (stdout(line) === false) return done('')
    }
  }
  return done('')
}

/** Reads the database only after a write, by this connection or another process. */
function createTail(only: Application | null, served: NonNullable<World['served']>, world: World) {
  const { database, clock } = world
  const store = createApplicationStore(world)
  const ownChanges = database.statement<{ rows: number }, []>('SELECT total_changes() AS rows')
  const versionNow = () => `${database.version()} ${ownChanges.get()?.rows}`
  let version = versionNow()
  let applications = only === null ? store.list() : [only]
  const numbers = () => applications.map(({ number }) => number)
  const watch = createPushChangesStore(world)
  const pushes = createPushTail({ watch, statuses: createStatusStore(world), application: only?.number ?? null })
  const devices = createDeviceTail({ watch: createDeviceChangesStore(world), applications: numbers })
  const daily = createTallyReader(world)
  const opens = createOpenTail({ daily, watch, applications: numbers, since: Math.floor(clock.now() / DAY_MS) - 1 })
  const server = createServerTail(served)

  function stored(now: number): TailEvent[] {
    // Before the reads, so that the next look has what is committed between them.
    const current = versionNow()
    if (current === version) return []
    version = current
    applications = only === null ? store.list() : [store.find(only.id) ?? only]
    return [...pushes.look(now), ...devices.look(now), ...opens.look(now)]
  }

  return {
    look: (now: number) => [...stored(now), ...server.look(applications, now)].toSorted((a, b) => a.at - b.at),
    application: ({ application }: TailEvent) => applications.find(({ number }) => number === application) ?? null,
  }
}
