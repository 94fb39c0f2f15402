import { createInbox } from '../../monitoring/inbox.ts'
import type { Senders } from '../sending/senders.ts'
import { servicePushing } from '../public/public-parts.ts'
import type { PublicApiService } from '../public/public-parts.ts'
import type { CommandService, MakeServeCommand } from './command-service.ts'
import { openCommandSocket } from './command-socket.ts'
import type { Service } from '../service.ts'

type Dependencies = Service &
  Omit<PublicApiService, 'calls'> &
  Pick<CommandService, 'adminHost' | 'isStopping'> & { readonly senders: Senders }

/** Runs commands of other processes and machines; `null`: none are served. */
export function commandSide(service: Dependencies, make: MakeServeCommand | undefined) {
  if (make === undefined) return null
  const { config, clock, log, database, directory, commit, senders } = service
  const { pool } = senders
  const { data } = config
  const settled = () => commit(() => undefined)
  const serve = make({
    data,
    database,
    key: service.key,
    adminHost: service.adminHost,
    pauseOf: (application, platform) => pool.pauseOf(application, platform),
    deliveries: pool,
    received: createInbox({ simulator: senders.runningSimulator, applications: () => directory.all() }),
    pushing: (view) =>
      servicePushing({
        ...service,
        calls: null,
        database: view,
        async commit(operation) {
          const result = view.transact(operation)
          await settled()
          return result
        },
      }),
    changed: () => directory.reload(),
    settled,
    isStopping: service.isStopping,
    log,
  })
  return {
    serve,
    /** `onChanged`: another process has changed the database. */
    listen: (onChanged: () => void) => openCommandSocket({ data, clock, log, serve, onChanged }),
  }
}
