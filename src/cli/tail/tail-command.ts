import { createApplicationStore } from '../../application/application-store.ts'
import type { Application } from '../../application/application.ts'
import type { Database } from '../../database/database.ts'
import { createDeviceWatchStore } from '../../device/device-changes-store.ts'
import { createPushWatchStore } from '../../push/push-changes-store.ts'
import { createStatusStore } from '../../push/status-store.ts'
import { createDailyStore } from '../../stats/daily-store.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { done } from '../command.ts'
import type { Given, Outcome, Surroundings } from '../command.ts'
import { findApplication } from '../find-application.ts'
import { openData } from '../open-data.ts'
import { serverAsker } from '../push/admin-client.ts'
import { startTicking } from '../terminal/poll.ts'
import { styleOf } from '../terminal/style.ts'
import { createDeviceTail } from './tail-devices.ts'
import type { TailEvent } from './tail-event.ts'
import { createOpenTail } from './tail-opens.ts'
import { createPauseTail } from './tail-pauses.ts'
import { createPushTail } from './tail-pushes.ts'
import { createSimulatorTail } from './tail-simulator.ts'
import { eventJson, eventText } from './tail-text.ts'

const LOOK_MS = 250
const DAY_MS = 24 * 60 * 60 * 1000

/** Shows what happens, until a signal or the end of its reader. */
export async function runTail({ words, flags }: Given, surroundings: Surroundings): Promise<Outcome> {
  const asker = serverAsker(flags.get('admin-listen') ?? null, surroundings)
  if (asker.kind === 'problems') return asker
  const opened = openData(flags.get('data') ?? null, surroundings)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const { clock, stdout, stderr } = surroundings
  const [app] = words
  const found = app === undefined ? null : findApplication(app, { database, data: opened.data, clock })
  if (found !== null && found.kind !== 'found') return found

  const of = found?.application ?? null
  const tail = createTail(database, of, surroundings)
  const pauses = createPauseTail({ ask: asker.ask })
  const simulator = createSimulatorTail({ ask: asker.askSimulator, simulated: tail.simulated })
  const style = styleOf(surroundings)
  using ticking = startTicking(surroundings)
  await simulator.look(clock.now())
  if (surroundings.terminal !== null) stderr('What happens from now on; Ctrl-C ends it.\n')
  while ((await ticking.next(LOOK_MS)) === 'tick') {
    const now = clock.now()
    const told = tail.look(now)
    const events = [...told, ...(await simulator.look(now))].toSorted((a, b) => a.at - b.at)
    events.push(...(await pauses.look(tail.live(), told, now)))
    for (const event of events) {
      const application = tail.application(event)
      const line = flags.has('json')
        ? jsonLine(eventJson(event, application))
        : eventText(event, application, of === null, style)
      if (stdout(line) === false) return done('')
    }
  }
  return done('')
}

/** Everything that the database tells; read only when somebody has written. */
function createTail(database: Database, of: Application | null, { clock }: Pick<Surroundings, 'clock'>) {
  const store = createApplicationStore({ database, clock })
  let version = database.version()
  let applications = of === null ? store.list() : [of]
  const numbers = () => applications.map(({ number }) => number)
  const watch = createPushWatchStore({ database })
  const statuses = createStatusStore({ database })
  const pushes = createPushTail({ watch, statuses, of: of?.number ?? null })
  const devices = createDeviceTail({ watch: createDeviceWatchStore({ database }), applications: numbers })
  const daily = createDailyStore({ database })
  const opens = createOpenTail({ daily, watch, applications: numbers, since: Math.floor(clock.now() / DAY_MS) - 1 })

  return {
    look(now: number): TailEvent[] {
      // Before the rest: what is committed while it is read is then seen at the next look.
      const current = database.version()
      if (current === version) return []
      version = current
      applications = of === null ? store.list() : [store.find(of.id) ?? of]
      return [...pushes.look(now), ...devices.look(now), ...opens.look(now)]
    },
    live: pushes.live,
    /** As it was at the last look: id → `application.number`. */
    simulated: () => new Map(applications.filter((one) => one.simulated).map(({ id, number }) => [id, number])),
    application: ({ application }: TailEvent) => applications.find(({ number }) => number === application) ?? null,
  }
}
