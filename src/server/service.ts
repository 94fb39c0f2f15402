import type { ApplicationDirectory } from '../application/application-directory.ts'
import type { CredentialStore } from '../application/credential-store.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Commit } from '../database/group-commit.ts'
import type { DeviceStore } from '../device/device-store.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../monitoring/metrics.ts'
import type { FinishedStore } from '../push/finished-store.ts'
import type { PushStore } from '../push/push-store.ts'
import type { Config } from '../settings/parse.ts'
import type { ServiceClock } from '../time/service-clock.ts'
import type { QuotaLedger } from '../usage/quota-ledger.ts'
import type { EventStore } from '../webhook/event-store.ts'

export interface Service {
  readonly config: Config
  readonly clock: Clock
  readonly time: ServiceClock
  readonly log: Log
  /** In [0, 1). */
  readonly random: () => number
  readonly database: Database
  readonly commit: Commit
  /** 32 bytes, from `proveSealingKey`. */
  readonly key: Uint8Array
  /** Certificates of gateways to trust, in PEM; `undefined`: the system's. */
  readonly ca: string | undefined
  readonly directory: ApplicationDirectory
  readonly credentials: CredentialStore
  readonly devices: DeviceStore
  readonly events: EventStore
  readonly pushes: PushStore
  readonly finished: FinishedStore
  readonly ledger: QuotaLedger
  readonly metrics: Metrics
  /** Closes in reverse. */
  readonly opened: AsyncDisposableStack
}
