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
  /** `null`: it has ended. */
  finish(id: string): Promise<string | null>
}

/** What a server lends the commands it runs. `src/cli` makes a `ServeCommand` of it. */
export interface CommandService {
  readonly data: string
  readonly database: Database
  /** 32 bytes, from `proveSealingKey`. */
  readonly key: Uint8Array
  readonly webhookPrivate: boolean
  /** `127.0.0.1:8791`, for browsers on this machine. */
  readonly adminHost: () => string
  /** `null`: it can. */
  readonly pauseOf: (application: number, platform: Platform) => string | null
  /** Stop sending a cancelled push: `cancelStored` in its transaction, `cancel` after it. */
  readonly deliveries: Pick<Senders['pool'], 'cancelStored' | 'cancel' | 'mayHaveReached'>
  readonly received: Inbox
  /** Returns why it was not taken, or `null`. */
  readonly testAlert: (alert: Alert) => Promise<string | null>
  readonly pushing: (database: Database) => Pushing
  readonly moving: (database: Database) => Moving
  /** Makes the service read changed settings and credentials, and cancelled pushes. */
  readonly changed: () => void
  readonly settled: () => Promise<unknown>
  readonly isStopping: () => boolean
  readonly log: Log
}

export type MakeServeCommand = (service: CommandService) => ServeCommand
