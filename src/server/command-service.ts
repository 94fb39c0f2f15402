import type { ServeCommand } from '../admin/command-call.ts'
import type { Database } from '../database/database.ts'
import type { Platform } from '../device/device.ts'
import type { Log } from '../log.ts'
import type { Inbox } from '../monitoring/inbox.ts'
import type { Pushing } from '../push/pushing.ts'
import type { Senders } from './senders.ts'

/** What a server lends a command that it runs. The command line, which stands above, makes a `ServeCommand` of it. */
export interface CommandService {
  /** The data directory. */
  readonly data: string
  /** Its writing connection, between the transactions of others. */
  readonly database: Database
  /** 32 bytes, which sealed things open with. */
  readonly key: Uint8Array
  /** Where browsers on this machine reach the admin side: `127.0.0.1:8791`. */
  readonly adminHost: () => string
  /** Why nothing of an application can be sent to a platform now; `null`: it can. */
  readonly pauseOf: (application: number, platform: Platform) => string | null
  /** Ends what is being sent of a push that was called off: in that transaction, and after it. */
  readonly deliveries: Pick<Senders['pool'], 'cancelStored' | 'cancel'>
  /** What arrived at the simulator. */
  readonly received: Inbox
  /** Pushes of the service, written to this view of its database. */
  readonly pushing: (database: Database) => Pushing
  /** Has the service take up what was changed: settings, credentials, pushes that were called off. */
  readonly changed: () => void
  /** Resolves when all that was written so far is on disk. */
  readonly settled: () => Promise<unknown>
  readonly isStopping: () => boolean
  readonly log: Log
}

export type MakeServeCommand = (service: CommandService) => ServeCommand
