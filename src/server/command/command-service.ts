import type { Alert } from '../../alert/alert.ts'
import type { ServeCommand } from '../../admin/command-call.ts'
import type { Application } from '../../application/application.ts'
import type { Database } from '../../database/database.ts'
import type { Platform } from '../../device/device.ts'
import type { Problem } from '../../failure.ts'
import type { Log } from '../../log.ts'
import type { Inbox } from '../../monitoring/inbox.ts'
import type { Pushing } from '../../push/pushing.ts'
import type { MoveTarget, Moved, Mover } from '../move/departures.ts'
import type { Senders } from '../sending/senders.ts'

export interface Moving {
  move(application: Application, to: MoveTarget, mover: Omit<Mover, 'commit'>): Promise<Moved | Problem>
  /** Why the forwarding cannot end yet; `null`: it has ended. */
  finish(id: string): Promise<string | null>
}

/** What a server lends the commands it runs. `src/cli` makes a `ServeCommand` of it. */
export interface CommandService {
  readonly data: string
  /** The connection that writes, between the transactions of others. */
  readonly database: Database
  /** 32 bytes, from `proveSealingKey`. */
  readonly key: Uint8Array
  /** `127.0.0.1:8791`, for browsers on this machine. */
  readonly adminHost: () => string
  /** Why an application can't send to a platform now; `null`: it can. */
  readonly pauseOf: (application: number, platform: Platform) => string | null
  /** Stop sending a cancelled push: `cancelStored` in its transaction, `cancel` after it. */
  readonly deliveries: Pick<Senders['pool'], 'cancelStored' | 'cancel'>
  readonly received: Inbox
  /** Sends a message that nothing is wrong; returns why it was not taken, or `null`. */
  readonly testAlert: (alert: Alert) => Promise<string | null>
  /** Writes to this view of the database. */
  readonly pushing: (database: Database) => Pushing
  /** Writes to this view of the database. */
  readonly moving: (database: Database) => Moving
  /** Makes the service read changed settings and credentials, and cancelled pushes. */
  readonly changed: () => void
  /** Resolves when everything written so far is on disk. */
  readonly settled: () => Promise<unknown>
  readonly isStopping: () => boolean
  readonly log: Log
}

export type MakeServeCommand = (service: CommandService) => ServeCommand
