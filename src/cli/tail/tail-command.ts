import { createApplicationStore } from '../../application/application-store.ts'
import type { Application } from '../../application/application.ts'
import { DAY_MS } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import { createDeviceChangesStore } from '../../device/device-changes-store.ts'
import { createPushChangesStore } from '../../push/push-changes-store.ts'
import { createStatusStore } from '../../push/status/status-store.ts'
import { createTallyReader } from '../../stats/tally-store.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { done } from '../command.ts'
import type { CommandContext, RunCommand } from '../command.ts'
import { findApplication } from '../open-application.ts'
import { openData } from '../open-data.ts'
import { createAdminClient } from '../push/admin-client.ts'
import { startPolling } from '../terminal/poll.ts'
import { styleOf } from '../terminal/style.ts'
import { createDeviceTail } from './tail-devices.ts'
import type { TailEvent } from './tail-event.ts'
import { createOpenTail } from './tail-opens.ts'
import { createPauseTail } from './tail-pauses.ts'
import { createPushTail } from './tail-pushes.ts'
import { createSimulatorTail } from './tail-simulator.ts'
import { eventJson, eventText } from './tail-text.ts'

const LOOK_MS = 250

/** Shows what happens, until a signal or the end of its reader. */
export const run: RunCommand = async ({ words, flags }, context) => {
  const asker = createAdminClient(flags, context)
  if (asker.kind === 'problems') return asker
  const opened = openData(flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const { clock, stdout, stderr } = context
  const [app] = words
  const found = app === undefined ? null : findApplication(app, opened, context)
  if (found !== null && found.kind !== 'found') return found

  const only = found?.application ?? null
  const tail = createTail(database, only, context)
  const pauses = createPauseTail({ ask: asker.ask })
  const simulator = createSimulatorTail({ ask: asker.askSimulator, simulated: tail.simulated })
  const style = styleOf(context)
  using polling = startPolling(context)
  await simulator.look(clock.now())
  if (context.terminal !== null) stderr('What happens from now on; Ctrl-C ends it.\n')
  while ((await polling.next(LOOK_MS)) === 'tick') {
    const now = clock.now()
    const told = tail.look(now)
    const events = [...told, ...(await simulator.look(now))].toSorted((a, b) => a.at - b.at)
    events.push(...(await pauses.look(tail.live(), told, now)))
    for (const event of events) {
      const application = tail.application(event)
      const line = flags.has('json')
        ? jsonLine(eventJson(event, application))
        : eventText(event, application, only === null, style)
      if (stdout(line) === false) return done('')
    }
  }
  return done('')
}

/** Everything that the database tells; read only when somebody has written. */
function createTail(database: Database, application: Application | null, { clock }: Pick<CommandContext, 'clock'>) {
  const store = createApplicationStore({ database, clock })
  let version = database.version()
  let applications = application === null ? store.list() : [application]
  const numbers = () => applications.map(({ number }) => number)
  const watch = createPushChangesStore({ database })
  const statuses = createStatusStore({ database })
  const pushes = createPushTail({ watch, statuses, application: application?.number ?? null })
  const devices = createDeviceTail({ watch: createDeviceChangesStore({ database }), applications: numbers })
  const daily = createTallyReader({ database })
  const opens = createOpenTail({ daily, watch, applications: numbers, since: Math.floor(clock.now() / DAY_MS) - 1 })

  return {
    look(now: number): TailEvent[] {
      // Before the rest: what is committed while it is read is then seen at the next look.
      const current = database.version()
      if (current === version) return []
      version = current
      applications = application === null ? store.list() : [store.find(application.id) ?? application]
      return [...pushes.look(now), ...devices.look(now), ...opens.look(now)]
    },
    live: pushes.live,
    /** As it was at the last look: id → `application.number`. */
    simulated: () => new Map(applications.filter((one) => one.simulated).map(({ id, number }) => [id, number])),
    application: ({ application }: TailEvent) => applications.find(({ number }) => number === application) ?? null,
  }
}
