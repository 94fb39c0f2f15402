import { createInbox } from '../../monitoring/inbox.ts'
import type { Database } from '../../database/database.ts'
import type { Commit } from '../../database/group-commit.ts'
import type { MoveDepartures } from '../move/departures.ts'
import type { Readiness } from '../../monitoring/readiness.ts'
import type { Senders } from '../sending/senders.ts'
import { servicePushing } from '../public/public-parts.ts'
import type { PublicApiService } from '../public/public-parts.ts'
import type { CommandService, MakeServeCommand } from './command-service.ts'
import { openCommandSocket } from './command-socket.ts'
import type { Service } from '../service.ts'

type Dependencies = Service &
  Omit<PublicApiService, 'calls'> &
  Pick<CommandService, 'adminHost' | 'isStopping' | 'testAlert'> & {
    readonly senders: Senders
    readonly departures: MoveDepartures
  }

export function commandSide(service: Dependencies, make: MakeServeCommand | undefined) {
  if (make === undefined) return null
  const { config, clock, log, database, directory, commit, senders } = service
  const { pool } = senders
  const { data } = config
  const settled = () => commit(() => undefined)
  const through =
    (view: Database): Commit =>
    async (operation) => {
      const result = view.transact(operation)
      await settled()
      return result
    }
  const serve = make({
    data,
    database,
    key: service.key,
    webhookPrivate: config.webhookPrivate,
    adminHost: service.adminHost,
    pauseOf: (application, platform) => pool.pauseOf(application, platform),
    deliveries: pool,
    received: createInbox({ simulator: senders.runningSimulator, applications: () => directory.all() }),
    pushing: (view) =>
      servicePushing({
        ...service,
        calls: null,
        database: view,
        commit: through(view),
      }),
    moving: (view) => ({
      move: (application, to, mover) => service.departures.move(application, to, { ...mover, commit: through(view) }),
      finish: (id) => service.departures.finish(id, through(view)),
    }),
    changed: () => directory.reload(),
    settled,
    isStopping: service.isStopping,
    testAlert: service.testAlert,
    log,
  })
  return {
    serve,
    listen: (onChanged: () => void, readiness: () => Promise<Readiness>) =>
      openCommandSocket({ data, clock, log, serve, onChanged, readiness }),
  }
}
