import { createApplicationStore } from '../../application/application-store.ts'
import type { Application } from '../../application/application.ts'
import { problem } from '../../failure.ts'
import { createStatusStore } from '../../push/status/status-store.ts'
import { logOpens } from '../../stats/open-changes-store.ts'
import { logPushChanges } from '../../push/push-changes-store.ts'
import { logDeviceChanges } from '../../device/device-changes-store.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { done } from '../command.ts'
import type { RunOnData, World } from '../command.ts'
import { findApplication } from '../find-application.ts'
import { ALL_SIGNALS } from '../signals.ts'
import { startPolling } from '../terminal/poll.ts'
import { styleOf } from '../terminal/style.ts'
import { createChangesTail } from './tail-changes.ts'
import { summedUp } from './tail-event.ts'
import type { TailEvent } from './tail-event.ts'
import { createServerTail } from './tail-server.ts'
import { eventJson, eventText } from './tail-text.ts'

const LOOK_MS = 250

export const run: RunOnData = async ({ words: [app], flags }, world) => {
  const { clock, stdout, stderr, served } = world
  const found = app === undefined ? null : findApplication(app, world)
  if (found !== null && found.kind !== 'found') return found
  if (served === null) return problem(`No server runs on ${world.data}: start one with bellhop serve.`)
  const only = found?.application ?? null
  using tail = createTail(only, served, world)
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

function createTail(only: Application | null, served: NonNullable<World['served']>, world: World) {
  const store = createApplicationStore(world)
  const list = () => (only === null ? store.list() : [store.find(only.id) ?? only])
  let applications = list()
  const find = (number: number) => applications.find((one) => one.number === number) ?? null
  using made = new DisposableStack()
  const changes = createChangesTail({
    pushes: made.use(logPushChanges(world)),
    devices: made.use(logDeviceChanges(world)),
    opens: made.use(logOpens(world)),
    statuses: createStatusStore(world),
  })
  const server = createServerTail(served)
  const opened = made.move()

  return {
    look(now: number): TailEvent[] {
      const changed = changes.look(now)
      if (changed.length > 0) applications = list()
      const watched = changed.filter(({ application }) => find(application) !== null)
      return summedUp([...watched, ...server.look(applications, now)], now).toSorted((a, b) => a.at - b.at)
    },
    application: ({ application }: TailEvent) => find(application),
    [Symbol.dispose]: () => opened.dispose(),
  }
}
